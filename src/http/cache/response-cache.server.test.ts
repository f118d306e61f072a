import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { createResponseCache, type GetResponse, type Rendering, type Source } from "./response-cache.server.ts";

const plenty = { maxEntries: 10, maxBytes: 100_000 };

/** A page whose content the test changes and whose renderings it counts. */
function createPage(key = "/", shown = "first") {
  const page = { shown, version: 1, render: vi.fn(async (shown: string): Promise<Rendering> => ({ text: shown })) };
  const source: Source = {
    key,
    contentType: "text/html",
    version: () => page.version,
    content: () => {
      const { shown } = page;
      return { hash: shown, render: () => page.render(shown) };
    },
  };
  const change = (shown: string) => Object.assign(page, { shown, version: page.version + 1 });
  return { page, source, change };
}

async function read(getResponse: GetResponse, source: Source): Promise<string> {
  return String(await (await getResponse(source)).body("identity"));
}

test("concurrent requests share one rendering", async () => {
  const getResponse = createResponseCache(plenty);
  const { page, source } = createPage();
  const responses = await Promise.all([getResponse(source), getResponse(source), getResponse(source)]);
  expect(new Set(responses).size).toBe(1);
  expect(page.render).toHaveBeenCalledTimes(1);
});

test("a page is rendered again after a change of its content, not after other changes", async () => {
  const getResponse = createResponseCache(plenty);
  const { page, source, change } = createPage();
  const before = await getResponse(source);
  page.version = 2;
  expect(before.isCurrent()).toBe(false);
  expect(await getResponse(source)).toBe(before);
  expect(before.isCurrent()).toBe(true);
  change("second");
  const after = await getResponse(source);
  expect(after.hash).not.toBe(before.hash);
  expect(String(await after.body("identity"))).toBe("second");
  expect(page.render).toHaveBeenCalledTimes(2);
});

test("a request after a change does not get a rendering that began before it", async () => {
  const getResponse = createResponseCache(plenty);
  const { page, source, change } = createPage();
  const slow = Promise.withResolvers<Rendering>();
  page.render.mockReturnValueOnce(slow.promise);
  const before = read(getResponse, source);
  change("second");
  expect(await read(getResponse, source)).toBe("second");
  slow.resolve({ text: "first" });
  expect(await before).toBe("first");
  expect(await read(getResponse, source)).toBe("second");
});

test("a page is stale only while it changes more often than the limit, and never for longer", async () => {
  let now = 0;
  const getResponse = createResponseCache(plenty, () => now);
  const { page, source, change } = createPage();
  for (; now < 10_000; now += 10) {
    change(`at ${now}`);
    const [renderedAt = ""] = /\d+/.exec(await read(getResponse, { ...source, maxStale: 1_000 })) ?? [];
    expect(now - Number(renderedAt)).toBeLessThan(1_000);
  }
  expect(page.render.mock.calls.length).toBeLessThanOrEqual(22);
  now += 1_000;
  for (const shown of ["after a while", "and again"]) {
    change(shown);
    expect(await read(getResponse, { ...source, maxStale: 1_000 })).toBe(shown);
  }
});

test("a stale response is current until its limit", async () => {
  let now = 0;
  const getResponse = createResponseCache(plenty, () => now);
  const { source, change } = createPage();
  await getResponse({ ...source, maxStale: 1_000 });
  change("second");
  const second = await getResponse({ ...source, maxStale: 1_000 });
  change("third");
  expect(second.isCurrent()).toBe(true);
  expect(await getResponse({ ...source, maxStale: 1_000 })).toBe(second);
  now = 1_000;
  expect(second.isCurrent()).toBe(false);
  expect(await read(getResponse, { ...source, maxStale: 1_000 })).toBe("third");
});

test("without a staleness limit no response is stale", async () => {
  const getResponse = createResponseCache(plenty, () => 0);
  const { source, change } = createPage();
  for (const shown of ["second", "third", "fourth"]) {
    change(shown);
    expect(await read(getResponse, source)).toBe(shown);
  }
});

test("only a page that is neither cached nor being rendered needs admission", async () => {
  const getResponse = createResponseCache(plenty);
  const { page, source, change } = createPage();
  const refuse = () => {
    throw new Error("full");
  };
  await expect(getResponse({ ...source, admit: refuse })).rejects.toThrow("full");
  const rendering = getResponse(source);
  await vi.waitFor(() => expect(page.render).toHaveBeenCalled());
  expect(await getResponse({ ...source, admit: refuse })).toBe(await rendering);
  change("second");
  expect(await read(getResponse, { ...source, admit: refuse })).toBe("second");
});

test("every encoding has the same text", async () => {
  const { body } = await createResponseCache(plenty)(createPage().source);
  expect(String(brotliDecompressSync(await body("br")))).toBe("first");
  expect(String(gunzipSync(await body("gzip")))).toBe("first");
  expect(await body("br")).toBe(await body("br"));
});

test("a page's hash depends on its text and its policy", async () => {
  const hashOf = async (rendering: Rendering) => {
    const { page, source } = createPage();
    page.render.mockResolvedValueOnce(rendering);
    return (await createResponseCache(plenty)(source)).hash;
  };
  const hash = await hashOf({ text: "a", policy: "b" });
  expect(await hashOf({ text: "a", policy: "b" })).toBe(hash);
  expect(await hashOf({ text: "a", policy: "c" })).not.toBe(hash);
  expect(await hashOf({ text: "c", policy: "b" })).not.toBe(hash);
});

test("a failed rendering is not cached", async () => {
  const getResponse = createResponseCache(plenty);
  const { page, source } = createPage();
  page.render.mockRejectedValueOnce(new Error("broken"));
  await expect(getResponse(source)).rejects.toThrow("broken");
  expect(await read(getResponse, source)).toBe("first");
});

test("the number of cached responses is bounded", async () => {
  const getResponse = createResponseCache({ ...plenty, maxEntries: 1 });
  const one = createPage("/?page=1");
  const other = createPage("/?page=2");
  for (const { source } of [one, other, one]) await getResponse(source);
  expect(one.page.render).toHaveBeenCalledTimes(2);
});

test("the size of the cache is bounded, and a response larger than that evicts nothing", async () => {
  const getResponse = createResponseCache({ ...plenty, maxBytes: 700 });
  const one = createPage("/?page=1", "x".repeat(200));
  const other = createPage("/?page=2", "x".repeat(200));
  const large = createPage("/?page=3", "x".repeat(2_000));
  for (const { page, source } of [one, other, one, large, large, one]) {
    expect(await read(getResponse, source)).toBe(page.shown);
  }
  expect([one, other, large].map(({ page }) => page.render.mock.calls.length)).toEqual([2, 1, 2]);
});
