import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryCaches } from "../../tests/support/memory-caches.ts";
import { OURS } from "../lib/responses.ts";
import worker from "./worker.mjs?raw";
import workerOff from "./worker-off.mjs?raw";

const FILE = "/assets/site-first.js";

const linked = ["/auth", "/terms", "/privacy"];

let caches: ReturnType<typeof memoryCaches>;
let network: (path: string) => Promise<Response>;
let requested: string[];

const lost = () => Promise.reject(new TypeError("Failed to fetch"));
const hangs = () => new Promise<never>(() => {});
/** Something that answers in place of the site does not send the header. */
const ours = (body: BodyInit, status = 200) => new Response(body, { status, headers: { [OURS]: "1" } });
const foreign = (status: number) => new Response("Sorry.", { status });
const PAGE = "<html>the site's page</html>";
/** @param end undefined for a body that stalls */
const begun = (end?: (body: ReadableStreamDefaultController) => void) =>
  new ReadableStream({
    start(body) {
      body.enqueue(new TextEncoder().encode("<html>the"));
      end?.(body);
    },
  });

beforeEach(async () => {
  vi.useFakeTimers();
  caches = memoryCaches();
  requested = [];
  const set = await caches.open("front-row-saved-first");
  for (const path of ["/", ...linked, FILE]) await set.put(path, new Response(`saved ${path}`));
  // An incomplete set of another build.
  await (await caches.open("front-row-saved-second")).put("/assets/site-second.js", new Response("second"));
});

afterEach(() => void vi.useRealTimers());

function start(script: string) {
  const listeners = new Map<string, (event: object) => void>();
  const registration = { unregister: vi.fn() };
  const self = {
    addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
    location: { origin: "http://site.example" },
    clients: { claim: vi.fn() },
    skipWaiting: vi.fn(),
    registration,
  };
  const fetch = ({ url }: { url: string }) => {
    requested.push(new URL(url).pathname);
    return network(url);
  };
  new Function("self", "caches", "fetch", script)(self, caches, fetch);
  const dispatch = async (name: string) => {
    let done: unknown;
    listeners.get(name)?.({ waitUntil: (work: unknown) => (done = work) });
    await done;
  };
  /** Undefined if the worker leaves the request alone. */
  function ask(address: string, options: { mode?: string; method?: string; client?: string } = {}) {
    const { mode = "cors", method = "GET", client = "" } = options;
    const { href: url } = new URL(address, "http://site.example");
    const ids = mode === "navigate" ? { clientId: "", resultingClientId: client } : { clientId: client };
    let response: Promise<Response> | undefined;
    listeners.get("fetch")?.({
      request: { url, mode, method },
      ...ids,
      respondWith: (given: Promise<Response>) => (response = given),
    });
    return response?.then((given) => given.text());
  }
  return {
    self,
    dispatch,
    ask,
    open: (address: string, client = "") => ask(address, { mode: "navigate", client }),
  };
}

test("the worker takes over at once", async () => {
  const { self, dispatch } = start(worker);
  await dispatch("install");
  await dispatch("activate");
  expect(self.skipWaiting).toHaveBeenCalledOnce();
  expect(self.clients.claim).toHaveBeenCalledOnce();
});

test("the network comes first, also with the page of another build than the saved one", async () => {
  const { ask, open } = start(worker);
  network = async (path) => ours(`second ${path}</html>`);
  expect(await open("/?search=x", "page")).toBe("second http://site.example/?search=x</html>");
  expect(await ask(FILE, { client: "page" })).toBe(`second http://site.example${FILE}</html>`);
});

const cut = new TypeError("network error");

test.each<[string, () => Response, string]>([
  ["an error of a gateway", () => foreign(500), "saved"],
  ["an error of a CDN", () => foreign(530), "saved"],
  ["a gateway's limit", () => foreign(429), "saved"],
  ["a page cut by the connection", () => ours(begun((body) => body.error(cut))), "saved"],
  ["a page cut by a proxy", () => ours(begun((body) => body.close())), "saved"],
  ["a portal's page that is cut", () => new Response(begun((body) => body.error(cut))), "saved"],
  ["an error of the site", () => ours("Sorry.", 500), "Sorry."],
  ["a refusal of the site", () => ours("Sorry.", 429), "Sorry."],
  ["the site's page", () => ours(PAGE, 404), PAGE],
  ["a portal's page", () => foreign(200), "Sorry."],
  ["a portal's refusal", () => foreign(401), "Sorry."],
  ["a portal that asks to sign in", () => foreign(511), "Sorry."],
])("a navigation that gets %s", async (_, answer, shown) => {
  const { ask, open } = start(worker);
  network = async () => answer();
  const expected = shown === "saved" ? "saved /" : shown;
  for (const address of ["/", "/?search=x", "/?show=x&notes=no"])
    expect(await open(address, "page")).toBe(expected);
  requested = [];
  expect(await ask(FILE, { client: "page" })).toBe(`saved ${FILE}`);
  expect(requested).toEqual(shown === "saved" ? [] : [FILE]);
});

test.each([ours, (body: BodyInit) => new Response(body)])("a page that stalls is as none", async (answer) => {
  const { open } = start(worker);
  network = async () => answer(begun());
  const shown = open("/?search=x");
  await vi.advanceTimersByTimeAsync(8_000);
  expect(await shown).toBe("saved /");
});

test.each([
  ["an error", 503],
  ["a portal's page", 200],
])("a file that is not saved comes as it is: %s", async (_, status) => {
  const { ask } = start(worker);
  network = async () => foreign(status);
  expect(await ask("/assets/other.js")).toBe("Sorry.");
});

test("what fails comes from the set that is whole; its files do not ask the network again", async () => {
  const { ask, open } = start(worker);
  network = lost;
  expect(await open("/?show=x", "page")).toBe("saved /");
  requested = [];
  expect(await ask(FILE, { client: "page" })).toBe(`saved ${FILE}`);
  expect(requested).toEqual([]);
  expect(await ask(FILE, { client: "other" })).toBe(`saved ${FILE}`);
  expect(requested).toEqual([FILE]);
  await expect(ask("/assets/other.js", { client: "page" })).rejects.toThrow("Failed to fetch");
});

test.each(linked)("%s comes from the network, or from the set, whatever its query is", async (path) => {
  const { ask, open } = start(worker);
  network = async () => ours(PAGE);
  expect(await open(`${path}?x`)).toBe(PAGE);
  for (network of [lost, async () => foreign(502), async () => foreign(429)])
    expect(await open(`${path}?x`, "page")).toBe(`saved ${path}`);
  requested = [];
  expect(await ask(FILE, { client: "page" })).toBe(`saved ${FILE}`);
  expect(requested).toEqual([]);
});

test("what is not answered in 8 s comes from the set, and what is not saved waits on", async () => {
  const { ask, open } = start(worker);
  network = hangs;
  const answered = vi.fn();
  for (const answer of [open("/"), ask(FILE)]) answer?.then(answered);
  await vi.advanceTimersByTimeAsync(7_999);
  expect(answered).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(answered.mock.calls).toEqual([["saved /"], [`saved ${FILE}`]]);
  const slow = Promise.withResolvers<Response>();
  network = () => slow.promise;
  const answer = ask("/assets/other.js");
  await vi.advanceTimersByTimeAsync(9_000);
  slow.resolve(new Response("late"));
  expect(await answer).toBe("late");
});

test("other requests are left alone", () => {
  const { ask, open } = start(worker);
  expect([
    open("/sitemap.xml"),
    ask("/"),
    ask("/api/shows"),
    ask("/", { mode: "navigate", method: "POST" }),
  ]).toEqual(Array(4).fill(undefined));
  expect(ask(`http://other.example${FILE}`)).toBeUndefined();
});

test("with blocked or emptied storage requests fail as without the worker", async () => {
  const { ask, open } = start(worker);
  network = lost;
  caches.sets.clear();
  await expect(open("/")).rejects.toThrow("Failed to fetch");
  caches.match = () => Promise.reject(new DOMException("No", "SecurityError"));
  await expect(open("/")).rejects.toThrow("Failed to fetch");
  await expect(ask(FILE)).rejects.toThrow("Failed to fetch");
});

test("switched off, it removes what was saved and itself", async () => {
  await caches.open("another-project-on-this-host");
  const { self, dispatch } = start(workerOff);
  await dispatch("install");
  expect(self.skipWaiting).toHaveBeenCalledOnce();
  await dispatch("activate");
  expect([...caches.sets.keys()]).toEqual(["another-project-on-this-host"]);
  expect(self.registration.unregister).toHaveBeenCalledOnce();
  caches.keys = () => Promise.reject(new DOMException("No", "SecurityError"));
  await dispatch("activate").catch(() => {});
  expect(self.registration.unregister).toHaveBeenCalledTimes(2);
});
