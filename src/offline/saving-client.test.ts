import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryCaches } from "../../tests/support/memory-caches.ts";
import { memoryLocks } from "../../tests/support/memory-locks.ts";
import { memoryStorage } from "../../tests/support/memory-storage.ts";
import { noTallies } from "../../tests/support/snapshot.ts";
import { savedColumns } from "../domain/offline-dto.ts";
import { YEAR } from "../domain/programme.ts";
import { wholeList } from "../domain/show-query.ts";
import { OURS } from "../lib/responses.ts";
import { turnSaving } from "./saving-switch.ts";

type Tab = typeof import("./saving-client.ts");

const SHOWS = "/api/offline/shows.json";
const TALLIES = "/api/tallies.json";
const linked = ["/auth", "/terms", "/privacy"];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const showsOf = (year = YEAR, title = "Moth Hour") => ({
  ...Object.fromEntries(savedColumns.map((name) => [name, [name === "title" ? title : "x"]])),
  phrases: [],
  warnings: [[]],
  year,
});
const tallies = {
  year: YEAR,
  id_start: ["x"],
  no: [1],
  very_little: [0],
  yes: [0],
  latest_on: ["2025-08-01"],
};
const fileOf = (build: string) => `/assets/site-${build}.js`;
const hashOf = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
const pageOf = (build: string, isOffered: boolean) =>
  `<!doctype html><html lang="en-GB" data-build="${build}"${isOffered ? ' data-offline=""' : ""}></html>`;

/** What answers requests: a server, a server of another build, a captive portal, or nothing. */
let site: { build: string; isOffered: boolean; answers: Record<string, () => unknown> };
let requested: string[];
let caches: ReturnType<typeof memoryCaches>;
let unregister: ReturnType<typeof vi.fn>;
let connection: { saveData?: boolean };

function answer(path: string): unknown {
  const own = site.answers[path];
  if (own) return own();
  const [, build = "", name] = /-(\w+)\.(js|json)$/.exec(path) ?? [];
  if (path === "/") return pageOf(site.build, site.isOffered);
  if (path === "/auth") return pageOf(site.build, site.isOffered);
  if (linked.includes(path)) return `<html>${path}</html>`;
  if (path === SHOWS) return showsOf();
  if (path === TALLIES) return tallies;
  if (name === "json") return { [fileOf(build)]: hashOf(fileOf(build)) };
  return path;
}

async function fakeFetch(input: string | Request, init: RequestInit = {}): Promise<Response> {
  const request = new Request(input, init);
  const path = new URL(request.url).pathname;
  requested.push(path);
  const { signal } = request;
  const given = await new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    Promise.resolve()
      .then(() => answer(path))
      .then(resolve, reject);
  });
  const response =
    given instanceof Response ? given : new Response(asText(given), { headers: { [OURS]: "1" } });
  const body = await response.clone().text();
  if (request.integrity && request.integrity !== hashOf(body)) throw new TypeError("Integrity");
  return response;
}

/** The tab has loaded no tallies since. */
const none = () => [];

const asText = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));
const lost = () => Promise.reject(new TypeError("Failed to fetch"));
const hangs = () => new Promise(() => {});
const login = "<html>Log in to the network</html>";

let tabs = 0;
/** Each tab has modules of its own. */
const openTab = (): Promise<Tab> => import(/* @vite-ignore */ `./saving-client.ts?tab=${tabs++}`);

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2025, 7, 1) });
  site = { build: "first", isOffered: true, answers: {} };
  requested = [];
  caches = memoryCaches();
  unregister = vi.fn();
  connection = {};
  const registration = { unregister };
  const serviceWorker = { register: async () => registration, getRegistration: async () => registration };
  const InSite = class extends Request {
    constructor(input: string | Request, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, "http://site.example") : input, init);
    }
  };
  vi.stubGlobal("Request", InSite);
  vi.stubGlobal("fetch", fakeFetch);
  vi.stubGlobal("caches", caches);
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("navigator", { locks: memoryLocks(), serviceWorker, connection });
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", { documentElement: { dataset: { build: "first" } } });
  vi.spyOn(console, "error");
});

afterEach(() => {
  expect(console.error).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const saved = () => [...caches.sets].map(([name, entries]) => [name, [...entries.keys()].toSorted()]);
const setOf = (build: string) => [
  `front-row-saved-${build}`,
  ["/", ...linked, SHOWS, TALLIES, fileOf(build)].toSorted(),
];
const textOf = async (path: string) => (await caches.match(path))?.text();
const fetched = (path: string) => requested.filter((each) => each === path).length;

test("the list is saved whole, and found, but no show of a year before", async () => {
  const tab = await openTab();
  expect(await tab.findSaved(wholeList, none)).toBeUndefined();
  expect(await tab.saveList()).toBe(Date.now());
  expect(saved()).toEqual([setOf("first")]);
  expect(await textOf("/")).toContain('<html lang="en-GB" data-build="first" data-saved="">');
  const found = await tab.findSaved(wholeList, none);
  expect(found?.seenAt).toBe(Date.now());
  expect(found?.list.shows.map(({ title }) => title)).toEqual(["Moth Hour"]);
  expect(await tab.findSaved({ ...wholeList, show: "of-2024" }, none)).toBeUndefined();
  expect(await tab.findSaved({ ...wholeList, show: "x" }, none)).toBeDefined();
  const nothing = await tab.findSaved({ ...wholeList, search: "nothing" }, none);
  expect(nothing?.list.total).toBe(0);
});

test("tallies that the tab has loaded since the list was saved win", async () => {
  const tab = await openTab();
  for (const wait of [0, 10 * MINUTE]) {
    await vi.advanceTimersByTimeAsync(wait);
    await tab.saveList();
    const found = await tab.findSaved(wholeList, (time) => {
      expect(time).toBe(Date.now());
      return [["x", { ...noTallies, yes: 1, latest_at: "2025-08-05T14:05:00.000Z", revision: 1 }]];
    });
    expect(found?.list.shows.map(({ reviews }) => reviews?.yes)).toEqual([1]);
  }
});

test("tallies are fetched again after ten minutes, texts after twelve hours", async () => {
  const tab = await openTab();
  const look = async (wait: number) => {
    await vi.advanceTimersByTimeAsync(wait);
    for (const each of [tab, await openTab()]) expect(await each.saveList()).not.toBeNull();
    return [fetched(TALLIES), fetched(SHOWS)];
  };
  expect(await look(0)).toEqual([1, 1]);
  expect(await look(10 * MINUTE - 1)).toEqual([1, 1]);
  expect(await look(1)).toEqual([2, 1]);
  expect(await look(12 * HOUR - 10 * MINUTE - 1)).toEqual([3, 1]);
  expect(linked.map(fetched)).toEqual([1, 1, 1]);
  expect(await look(10 * MINUTE)).toEqual([4, 2]);
  expect(linked.map(fetched)).toEqual([2, 2, 2]);
  expect(await textOf("/terms")).toBe("<html>/terms</html>");
});

test.each([
  ["of another year", showsOf(YEAR - 1)],
  ["of another build, without a column", { ...showsOf(), genre: undefined }],
])("saved texts %s are not recent", async (_, body) => {
  await (await openTab()).saveList();
  const set = caches.sets.get("front-row-saved-first");
  const before = set?.get(SHOWS);
  set?.set(SHOWS, new Response(JSON.stringify(body), { headers: before?.headers ?? {} }));
  const tab = await openTab();
  expect(await tab.findSaved(wholeList, none)).toBeUndefined();
  await tab.saveList();
  expect(await tab.findSaved(wholeList, none)).toBeDefined();
  expect(fetched(SHOWS)).toBe(2);
});

test("the set is of the server's build, also from an old page, and replaces the other once it is whole", async () => {
  const tab = await openTab();
  await tab.saveList();
  site.build = "second";
  site.answers = { [fileOf("second")]: lost };
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(await tab.saveList()).toBe(Date.now() - 10 * MINUTE);
  expect(await textOf("/")).toContain('data-build="first"');
  expect(saved()[0]).toEqual(setOf("first"));
  site.answers = {};
  expect(await tab.saveList()).toBe(Date.now());
  expect(saved()).toEqual([setOf("second")]);
  expect(await tab.findSaved(wholeList, none)).toBeDefined();
  site.build = "first";
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  await tab.saveList();
  expect(saved()).toEqual([setOf("first")]);
});

test("after a lost connection the next save continues", async () => {
  const tab = await openTab();
  site.answers[TALLIES] = lost;
  expect(await tab.saveList()).toBeNull();
  site.answers = {};
  expect(await tab.saveList()).toBe(Date.now());
  expect(saved()).toEqual([setOf("first")]);
  expect([fetched(SHOWS), fetched(fileOf("first"))]).toEqual([1, 1]);
});

test("two tabs fetch the documents once, and leave one whole set", async () => {
  const both = await Promise.all([openTab(), openTab()]);
  expect(await Promise.all(both.map((tab) => tab.saveList()))).toEqual([Date.now(), Date.now()]);
  expect([fetched(SHOWS), fetched(TALLIES)]).toEqual([1, 1]);
  expect(saved()).toEqual([setOf("first")]);
});

test.each([
  ["the page", "/", login],
  ["the page, copied from ours", "/", pageOf("first", true)],
  ["the page, cut", "/", pageOf("first", true).slice(0, -8), true],
  ["the list of files, as JSON", "/assets/files-first.json", {}],
  ["a file", fileOf("first"), login],
  ["the terms", "/terms", login],
  ["the sign-in page, of another build", "/auth", pageOf("other", true), true],
  ["the texts", SHOWS, login],
  ["the texts, copied from ours", SHOWS, showsOf(YEAR, "Log in")],
  ["the tallies, as JSON", TALLIES, { error: "sign in" }],
])("what a captive portal says is not saved in place of %s", async (_, path, body, isOurs = false) => {
  site.answers[path] = () => new Response(asText(body), isOurs ? { headers: { [OURS]: "1" } } : {});
  expect(await (await openTab()).saveList()).toBeNull();
  for (const entries of caches.sets.values())
    for (const response of entries.values()) expect(await response.text()).not.toContain("Log in");
  expect(caches.sets.get("front-row-saved-first")?.has("/") ?? false).toBe(false);
  site.answers = {};
  expect(await (await openTab()).saveList()).toBe(Date.now());
  expect(saved()).toEqual([setOf("first")]);
});

test("full storage keeps nothing half, and the documents are not fetched again before they are old", async () => {
  const { open } = caches;
  const put = vi.fn(() => Promise.reject(new DOMException("Full", "QuotaExceededError")));
  caches.open = async (name) => Object.assign(await open(name), { put, add: async () => {} });
  const tab = await openTab();
  const look = async (wait: number) => {
    await vi.advanceTimersByTimeAsync(wait);
    expect(await tab.saveList()).toBeNull();
    return [fetched("/"), fetched(SHOWS), caches.sets.size];
  };
  expect(await look(0)).toEqual([1, 1, 0]);
  expect(await look(9 * MINUTE)).toEqual([1, 1, 0]);
  expect(await look(MINUTE)).toEqual([2, 1, 0]);
  expect(await look(12 * HOUR)).toEqual([3, 2, 0]);
  expect(await tab.findSaved(wholeList, none)).toBeUndefined();
});

test("with blocked storage, and where data is to be saved, nothing is fetched", async () => {
  connection.saveData = true;
  expect(await (await openTab()).saveList()).toBeNull();
  connection.saveData = false;
  const refuse = () => Promise.reject(new DOMException("No", "SecurityError"));
  Object.assign(caches, { has: refuse, match: refuse, open: refuse, keys: refuse });
  const tab = await openTab();
  expect(await tab.saveList()).toBeNull();
  expect(await tab.removeSaved()).toBeNull();
  expect(requested).toEqual([]);
});

test("a part that the browser has deleted is saved again", async () => {
  const tab = await openTab();
  await tab.saveList();
  caches.sets.clear();
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(await tab.saveList()).toBe(Date.now());
  expect(saved()).toEqual([setOf("first")]);
});

test.each([SHOWS, fileOf("first"), "/"])("Remove stops what hangs at %s, in all tabs", async (path) => {
  site.answers[path] = hangs;
  const [saving, other] = [await openTab(), await openTab()];
  const savings = [saving.saveList(), other.saveList()];
  await vi.advanceTimersByTimeAsync(1_000);
  turnSaving(false);
  await other.removeSaved();
  expect(saved()).toEqual([]);
  expect(unregister).toHaveBeenCalledOnce();
  expect(await savings[1]).toBeNull();
  window.dispatchEvent(new Event("storage"));
  site.answers = {};
  expect([await savings[0], await saving.saveList(), saved()]).toEqual([null, null, []]);
  turnSaving(true);
  expect(await saving.saveList()).toBe(Date.now());
});

test("a tab that is open stops saving when the site is switched off, and removes what was saved", async () => {
  const tab = await openTab();
  await tab.saveList();
  site.isOffered = false;
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(await tab.saveList()).toBe("off");
  expect(saved()).toEqual([]);
  expect(unregister).toHaveBeenCalledOnce();
  expect([fetched(SHOWS), fetched(TALLIES)]).toEqual([1, 1]);
});
