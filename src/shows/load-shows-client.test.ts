import { expect, test } from "vitest";
import type { ShowPage } from "../domain/show.ts";
import { loadShows } from "./load-shows-client.ts";

const query = { search: "chair & table", interaction: ["no" as const, "yes" as const], page: 2 };
const found: ShowPage = { year: 2025, page: 2, page_size: 20, total: 20, shows: [] };
const portal = () => new Response("<html>Log in to the network</html>", { headers: { "Content-Type": "text/html" } });

/** Loads through a network that gives these answers one after the other; says what was asked, answered, reported and waited for. */
async function loadThrough(...answers: (() => Response)[]) {
  const asked: Request[] = [];
  const reported: string[] = [];
  const waited: number[] = [];
  const page = await loadShows(query, {
    clientKey: "front-row-public",
    signal: new AbortController().signal,
    reportError: (what) => reported.push(what),
    wait: async (ms) => void waited.push(ms),
    fetch: async (input, init) => {
      asked.push(new Request(new URL(String(input), "http://localhost"), init));
      const answer = answers.shift();
      if (!answer) throw new TypeError("Failed to fetch");
      return answer();
    },
  });
  return { page, asked, reported, waited };
}

test("one request, with the client key, asks for exactly the wanted page", async () => {
  const { page, asked, reported } = await loadThrough(() => Response.json(found));
  expect(page).toEqual(found);
  expect(asked.map((request) => request.url)).toEqual([
    "http://localhost/api/shows?search=chair+%26+table&interaction=no&interaction=yes&page=2",
  ]);
  expect(asked[0]?.headers.get("apikey")).toBe("front-row-public");
  expect(reported).toEqual([]);
});

test.each([
  ["an error of the server", () => Response.json({ code: "internal", message: "Sorry." }, { status: 500 })],
  ["a captive portal's page", portal],
])("%s is reported, and shows alone are asked for", async (_, failure) => {
  const { page, asked, reported, waited } = await loadThrough(failure, () => Response.json(found));
  expect(page).toEqual(found);
  expect(new URL(asked[1]?.url ?? "").searchParams.get("reviews")).toBe("none");
  expect(reported).toEqual(["Shows could not be loaded with their reviews:"]);
  expect(waited).toEqual([]);
});

test.each([
  ["too many requests", 429, "3", 3_000],
  ["a busy server", 503, "5", 5_000],
  ["one that asks for an hour", 503, "3600", 10_000],
])("%s is asked again no sooner than it says, and once", async (_, status, retryAfter, wait) => {
  const busy = () => new Response("{}", { status, headers: { "Retry-After": retryAfter } });
  const { page, asked, waited } = await loadThrough(busy, busy);
  expect(page.total).toBe(0);
  expect(asked).toHaveLength(2);
  expect(waited).toEqual([wait]);
});

test("somebody who asks for something else in the meantime is not kept waiting", async () => {
  const abort = new AbortController();
  let asked = 0;
  const loading = loadShows(query, {
    clientKey: "key",
    signal: abort.signal,
    reportError: () => abort.abort(),
    fetch: async () => {
      asked++;
      return new Response("{}", { status: 503, headers: { "Retry-After": "5" } });
    },
  });
  await expect(loading).rejects.toThrow("aborted");
  expect(asked).toBe(1);
});

test("when shows alone fail too the list is empty, and both failures are reported", async () => {
  const { page, asked, reported } = await loadThrough();
  expect(page).toMatchObject({ total: 0, page: 1, shows: [] });
  expect(asked).toHaveLength(2);
  expect(reported).toHaveLength(2);
});

test("a request that nobody waits for any more is no failure", async () => {
  const reported: string[] = [];
  const abort = new AbortController();
  const loading = loadShows(query, {
    clientKey: "key",
    signal: abort.signal,
    reportError: (what) => reported.push(what),
    fetch: async () => {
      abort.abort();
      throw abort.signal.reason;
    },
  });
  await expect(loading).rejects.toThrow("aborted");
  expect(reported).toEqual([]);
});
