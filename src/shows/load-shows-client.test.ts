import { expect, onTestFinished, test, vi } from "vitest";
import { createApiRequest } from "../browser/requests/api-request-client.ts";
import { YEAR } from "../domain/programme.ts";
import type { ShowPage } from "../domain/show.ts";
import { emptyList, loadShows } from "./load-shows-client.ts";

const query = { search: "chair & table", interaction: ["no" as const, "yes" as const], page: 2 };
const found: ShowPage = { year: YEAR, page: 2, page_size: 20, total: 20, shows: [] };
const portal = () =>
  new Response("<html>Log in to the network</html>", { headers: { "Content-Type": "text/html" } });

type Parts = Partial<Parameters<typeof loadShows>[1]> & { fetch?: typeof fetch; onError?: () => void };

function startLoad(parts: Parts) {
  const requests: Request[] = [];
  const reported: unknown[][] = [];
  const waits: number[] = [];
  const { fetch = () => expect.fail(), onError, ...others } = parts;
  const errors = vi.spyOn(console, "error").mockImplementation((...report) => {
    reported.push(report);
    onError?.();
  });
  onTestFinished(() => errors.mockRestore());
  const loading = loadShows(query, {
    signal: new AbortController().signal,
    wait: async (ms) => void waits.push(ms),
    request: createApiRequest(
      (input, init) => {
        requests.push(new Request(new URL(String(input), "http://localhost"), init));
        return fetch(input, init);
      },
      () => "front-row-public",
    ),
    ...others,
  });
  return { loading, requests, reported, waits };
}

async function loadOver(...responses: (() => Response)[]) {
  const fetch = async () => responses.shift()?.() ?? expect.fail();
  const { loading, ...recorded } = startLoad({ fetch });
  return { loaded: await loading, ...recorded };
}

test.each([
  ["an error of the server", () => Response.json({ code: "internal", message: "Sorry." }, { status: 500 })],
  ["a captive portal's page", portal],
])("%s is reported, and shows alone are requested (docs/product.md §8.3)", async (_, failure) => {
  const { loaded, requests, reported, waits } = await loadOver(failure, () => Response.json(found));
  expect(loaded).toEqual({ list: found });
  const address = "http://localhost/api/shows?search=chair+%26+table&interaction=no&interaction=yes&page=2";
  expect(requests.map(({ url }) => url)).toEqual([address, `${address}&reviews=none`]);
  expect(reported).toEqual([["Shows could not be loaded with their reviews:", expect.anything()]]);
  expect(waits).toEqual([]);
});

test.each([
  ["too many requests", 429, "3", 3_000, "limited"],
  ["a busy server", 503, "5", 5_000, "refused"],
  ["a server that asks for an hour", 503, "3600", 10_000, "refused"],
])("%s is retried once, no sooner than Retry-After says", async (_, status, retryAfter, wait, failure) => {
  const busy = () => new Response("{}", { status, headers: { "Retry-After": retryAfter } });
  const { loaded, requests, waits } = await loadOver(busy, busy);
  expect(loaded).toMatchObject({ list: { total: 0 }, failure });
  expect(requests).toHaveLength(2);
  expect(waits).toEqual([wait]);
});

test.each([
  ["a gateway without a server", 502, "<html>Bad Gateway</html>", "refused"],
  ["a CDN without a server", 523, "error code: 523", "refused"],
  ["an error of the server", 500, '{"code":"internal","message":"Sorry."}', "refused"],
  ["a limit of the server", 429, '{"code":"rate_limited","message":"Too many"}', "limited"],
  ["a limit of a gateway", 429, "<html>Slow down</html>", "limited"],
  ["another build's client key", 401, '{"code":"invalid_client_key","message":"No"}', "refused"],
  ["a portal that asks to sign in", 511, "<html>Log in</html>", "unreachable"],
  ["a portal's refusal", 403, "<html>Log in</html>", "unreachable"],
  ["a portal's page", 200, "<html>Log in</html>", "unreachable"],
  ["a portal's JSON", 200, '{"login":"http://portal.example"}', "unreachable"],
])("after %s, an earlier list is shown at once", async (_, status, body, failure) => {
  const seen = { list: found, seenAt: 1 };
  const fetch = async () => new Response(body, { status, headers: { "Retry-After": "5" } });
  const { loading, requests, waits } = startLoad({ fetch, findEarlier: async () => seen });
  expect(await loading).toEqual({ ...seen, failure });
  expect([requests.length, waits]).toEqual([1, []]);
  expect(await startLoad({ fetch }).loading).toEqual({ list: emptyList, failure });
});

test.each(["request", "wait"])("a load aborted at its %s is no failure, and not repeated", async (at) => {
  const abort = new AbortController();
  const { loading, requests, reported } = startLoad({
    signal: abort.signal,
    wait: undefined,
    onError: () => abort.abort(),
    fetch: async () => {
      if (at === "wait") return new Response("{}", { status: 503, headers: { "Retry-After": "5" } });
      abort.abort();
      throw abort.signal.reason;
    },
  });
  await expect(loading).rejects.toThrow("aborted");
  expect([requests.length, reported.length]).toEqual([1, at === "wait" ? 1 : 0]);
});

test("without a response in time both requests are reported, and the list is empty (docs/product.md §8.4)", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { loading, requests, reported } = startLoad({
    fetch: (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      }),
  });
  await vi.advanceTimersByTimeAsync(14_999);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(requests).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await loading).toEqual({ list: emptyList, failure: "unreachable" });
  expect(reported).toHaveLength(2);
});

test("a programming error is reported and thrown, and no list counts as unreachable", async () => {
  const mistake = new ReferenceError("listOfShows is not defined");
  const { loading, reported } = startLoad({
    fetch: () => {
      throw mistake;
    },
  });
  await expect(loading).rejects.toBe(mistake);
  expect(reported).toEqual([[expect.any(String), mistake]]);
});
