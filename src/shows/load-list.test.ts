import { expect, onTestFinished, test, vi } from "vitest";
import { bareShow, noTallies } from "../../tests/support/snapshot.ts";
import { createApiRequest } from "../browser/requests/api-request-client.ts";
import type { NotesPage } from "../domain/notes-dto.ts";
import { YEAR } from "../domain/programme.ts";
import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { createListLoader } from "./load-list.ts";

const search = "?search=chair+%26+table&interaction=no&interaction=yes&page=2";
const query: ShowQuery = { search: "chair & table", interaction: ["no", "yes"], page: 2 };
const listWith = (id: string): ShowPage => {
  const shows = [{ ...bareShow(id), reviews: noTallies }];
  return { year: YEAR, page: 2, page_size: 20, total: 21, shows };
};
const found = listWith("1");
const empty = { year: YEAR, page: 1, page_size: 20, total: 0, shows: [] };
const portal = () =>
  new Response("<html>Log in to the network</html>", { headers: { "Content-Type": "text/html" } });
const lost = () => Promise.reject(new Error("lost"));
const busy = (status: number, seconds: string) => () =>
  new Response("{}", { status, headers: { "Retry-After": seconds } });

interface Given extends Partial<Omit<Parameters<typeof createListLoader>[0], "saved">> {
  fetch?: typeof fetch;
  onError?: () => void;
  /** The saved list, and when it was saved. */
  saved?: { list: ShowPage; seenAt: number } | undefined;
  isSavedPage?: boolean;
  find?: (talliesSince: (time: number) => [string, { yes: number }][]) => Promise<undefined>;
}

function openTab({ fetch = lost, onError, saved, isSavedPage = false, find, ...parts }: Given = {}) {
  const site = { fetch, saved };
  const requests: Request[] = [];
  const reported: unknown[][] = [];
  const waits: number[] = [];
  const errors = vi.spyOn(console, "error").mockImplementation((...report) => {
    reported.push(report);
    onError?.();
  });
  onTestFinished(() => errors.mockRestore());
  const marks = [isSavedPage];
  const loadList = createListLoader({
    loadNotesPage: lost,
    wait: async (ms) => void waits.push(ms),
    saved: {
      takeMark: () => marks.pop() ?? false,
      hasList: async () => site.saved !== undefined,
      find: async (_, talliesSince) => (find ? find(talliesSince) : site.saved),
    },
    request: createApiRequest(
      (input, init) => {
        requests.push(new Request(new URL(String(input), "http://localhost"), init));
        return site.fetch(input, init);
      },
      () => "front-row-public",
    ),
    ...parts,
  });
  const open = (address = search, { signal } = new AbortController()) =>
    loadList({ url: `http://localhost/${address}`, signal });
  return { open, site, requests, reported, waits };
}

function answering(...responses: (() => Response)[]) {
  return async () => responses.shift()?.() ?? expect.fail();
}

test.each([
  ["an error of the server", () => Response.json({ code: "internal", message: "Sorry." }, { status: 500 })],
  ["a captive portal's page", portal],
])("%s is reported, and shows alone are requested (docs/product.md §8.3)", async (_, failure) => {
  const fetch = answering(failure, () => Response.json(found));
  const { open, requests, reported, waits } = openTab({ fetch });
  expect(await open()).toEqual({ query, list: found });
  const address = `http://localhost/api/shows${search}`;
  expect(requests.map(({ url }) => url)).toEqual([address, `${address}&reviews=none`]);
  expect(reported).toEqual([["Shows could not be loaded with their reviews:", expect.anything()]]);
  expect(waits).toEqual([]);
});

test.each([
  ["too many requests", 429, "3", 3_000, "limited"],
  ["a busy server", 503, "5", 5_000, "refused"],
  ["a server that asks for an hour", 503, "3600", 10_000, "refused"],
])("%s is retried once, no sooner than Retry-After says", async (_, status, seconds, wait, failure) => {
  const { open, requests, waits } = openTab({ fetch: async () => busy(status, seconds)() });
  const retryAfter = Number(seconds) * 1_000;
  expect(await open()).toEqual({ query, list: empty, failure, retryAfter });
  expect(requests).toHaveLength(2);
  expect(waits).toEqual([wait]);
});

const failures = [
  ["a gateway without a server", 502, "<html>Bad Gateway</html>", "refused"],
  ["a CDN without a server", 523, "error code: 523", "refused"],
  ["an error of the server", 500, '{"code":"internal","message":"Sorry."}', "refused"],
  ["a busy server", 503, '{"code":"busy","message":"Sorry."}', "refused"],
  ["a limit of the server", 429, '{"code":"network_rate_limited","message":"Too many"}', "limited"],
  ["a limit of a gateway", 429, "<html>Slow down</html>", "limited"],
  ["another build's client key", 401, '{"code":"invalid_client_key","message":"No"}', "refused"],
  ["a portal that asks to sign in", 511, "<html>Log in</html>", "unreachable"],
  ["a portal's refusal", 403, "<html>Log in</html>", "unreachable"],
  ["a portal's page", 200, "<html>Log in</html>", "unreachable"],
  ["a portal's JSON", 200, '{"login":"http://portal.example"}', "unreachable"],
] as const;

test.each(failures)("after %s, a saved list is shown at once", async (_, status, body, failure) => {
  const saved = { list: found, seenAt: 1 };
  const fetch = async () => new Response(body, { status, headers: { "Retry-After": "12" } });
  const { open, site, requests, waits } = openTab({ fetch, saved });
  expect(await open()).toMatchObject({ ...saved, query, failure });
  expect([requests.length, waits]).toEqual([1, []]);
  site.saved = undefined;
  expect(await open()).toMatchObject({ list: empty, failure });
});

test("an earlier list of this tab is shown, unless the saved one is newer", async () => {
  vi.useFakeTimers({ now: 1_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { open, site } = openTab({ first: { query, list: found } });
  expect(await open()).toMatchObject({ list: found, seenAt: 1_000 });
  site.saved = { list: listWith("2"), seenAt: 999 };
  expect(await open()).toMatchObject({ list: found, seenAt: 1_000 });
  site.saved = { list: listWith("3"), seenAt: 1_001 };
  expect(await open()).toMatchObject({ list: listWith("3"), seenAt: 1_001 });
  vi.setSystemTime(2_000);
  site.fetch = async () => Response.json(listWith("4"));
  expect(await open()).toEqual({ query, list: listWith("4") });
  site.fetch = lost;
  expect(await open()).toMatchObject({ list: listWith("4"), seenAt: 2_000 });
  expect(await open("?search=never+seen")).toMatchObject({ list: listWith("3"), seenAt: 1_001 });
});

test("the last twenty lists of the tab are kept, with the newest tallies of each show", async () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  let since: unknown[] = [];
  const { open, site } = openTab({
    find: async (talliesSince) => {
      since = talliesSince(18).map(([id, { yes }]) => [id, yes]);
      return undefined;
    },
  });
  const yesOf = async (search: number) => (await open(`?search=q${search}`)).list.shows[0]?.reviews?.yes;
  for (const [time, search] of [
    ...Array.from({ length: 20 }, (_, index) => [index, index]),
    [20, 0],
    [21, 20],
  ]) {
    vi.setSystemTime(time ?? 0);
    const [show] = listWith(`show ${search}`).shows;
    site.fetch = async () =>
      Response.json({ ...found, shows: [{ ...show, reviews: { ...noTallies, yes: time } }] });
    await open(`?search=q${search}`);
  }
  site.fetch = lost;
  expect([await yesOf(0), await yesOf(1), await yesOf(2)]).toEqual([20, undefined, 2]);
  expect(since).toEqual([["show 19", 19], ["show 0", 20], ["show 20", 21]]); // biome-ignore format: a table
});

test.each([
  ["a saved page", true, lost, "unreachable"],
  ["no answer", false, lost, "unreachable"],
  ["a 503", false, async () => busy(503, "5")(), "refused"],
  ["a 429", false, async () => busy(429, "60")(), "limited"],
] as const)(
  "after %s a saved list comes before the network is asked for another address",
  async (_, isSavedPage, fetch, failure) => {
    const { open, site, requests } = openTab({ isSavedPage, fetch, saved: { list: found, seenAt: 1 } });
    if (!isSavedPage) expect(await open("")).toMatchObject({ list: found, failure });
    expect(requests.splice(0)).toHaveLength(isSavedPage ? 0 : 1);
    expect(await open()).toEqual({ query, list: found, seenAt: 1, failure, isUnasked: true });
    expect(requests).toEqual([]);
    const asked = await open();
    expect(asked).toMatchObject({ query, list: found, seenAt: 1, failure });
    expect([requests.splice(0).length, asked.isUnasked]).toEqual([1, undefined]);
    site.fetch = async () => Response.json(found);
    await open();
    expect(await open("?search=other")).toMatchObject({ list: found });
    expect(requests).toHaveLength(2);
  },
);

test("without a saved list the network is asked, also on a saved page", async () => {
  const { open, requests } = openTab({ isSavedPage: true, fetch: async () => Response.json(found) });
  expect(await open()).toEqual({ query, list: found });
  expect(requests).toHaveLength(1);
});

test("a page of notes comes with its show, or counts as not loaded", async () => {
  const notesPage = { page: 2, page_size: 20, total: 21, notes: [] } as const;
  const loadNotesPage = vi.fn<() => Promise<NotesPage>>(async () => ({ ...notesPage, notes: [] }));
  const { open, reported } = openTab({ fetch: async () => Response.json(found), loadNotesPage });
  const address = "?show=1&notes=yes&page=2";
  expect(await open(address)).toMatchObject({ list: found, notesPage });
  expect(loadNotesPage).toHaveBeenCalledWith("1", "yes", 2, expect.anything());
  loadNotesPage.mockImplementation(lost);
  expect(await open("?show=1")).toMatchObject({ list: found });
  const loaded = await open(address);
  expect(loaded).toEqual({ query: loaded.query, list: empty, failure: "unreachable" });
  expect(reported).toEqual([["Notes could not be loaded:", expect.anything()]]);
});

test.each(["request", "wait"])("a load aborted at its %s is no failure, and not repeated", async (at) => {
  const abort = new AbortController();
  const { open, requests, reported } = openTab({
    wait: undefined,
    onError: () => abort.abort(),
    fetch: async () => {
      if (at === "wait") return busy(503, "5")();
      abort.abort();
      throw abort.signal.reason;
    },
  });
  await expect(open(search, abort)).rejects.toThrow("aborted");
  expect([requests.length, reported.length]).toEqual([1, at === "wait" ? 1 : 0]);
});

test.each([
  ["", undefined, 15_000],
  [", once a list is saved", { list: found, seenAt: 1 }, 8_000],
])("a response in time is waited for%s (docs/product.md §8.4, §14.2)", async (_, saved, limit) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { open, requests, reported } = openTab({
    saved,
    fetch: (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      }),
  });
  const loading = open();
  await vi.advanceTimersByTimeAsync(limit - 1);
  expect([requests.length, reported.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(requests).toHaveLength(saved ? 1 : 2);
  await vi.advanceTimersByTimeAsync(saved ? 0 : limit);
  expect(await loading).toMatchObject({ list: saved ? found : empty, failure: "unreachable" });
  expect(reported).toHaveLength(saved ? 1 : 2);
});

test("a programming error is reported and thrown, and no list counts as unreachable", async () => {
  const mistake = new ReferenceError("listOfShows is not defined");
  const { open, reported } = openTab({
    fetch: () => {
      throw mistake;
    },
  });
  await expect(open()).rejects.toBe(mistake);
  expect(reported).toEqual([[expect.any(String), mistake]]);
});
