import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { createResponseCache, type Rendering, type Source } from "./response-cache.server.ts";

const limits = { maxEntries: 10, maxBytes: 100_000 };

/** A page whose content the test changes and whose renderings it counts. */
function createPage(key = "/", text = "first") {
  const page = { text, version: 1, render: vi.fn(async (text: string): Promise<Rendering> => ({ text })) };
  const source: Source = {
    key,
    contentType: "text/html",
    version: () => page.version,
    content: () => {
      const { text } = page;
      return { hash: text, render: () => page.render(text) };
    },
  };
  const change = (text: string) => Object.assign(page, { text, version: page.version + 1 });
  return { page, source, change };
}

async function read(getResponse: ReturnType<typeof createResponseCache>, source: Source): Promise<string> {
  return String(await (await getResponse(source)).body("identity"));
}

test("concurrent requests share one rendering", async () => {
  const getResponse = createResponseCache(limits);
  const { page, source } = createPage();
  const responses = await Promise.all([getResponse(source), getResponse(source), getResponse(source)]);
  expect(new Set(responses).size).toBe(1);
  expect(page.render).toHaveBeenCalledTimes(1);
});

test("a page is rendered again after a change of its content, not after other changes", async () => {
  const getResponse = createResponseCache(limits);
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
  const getResponse = createResponseCache(limits);
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

test("a page is stale only within the limit, while it changes faster (docs/product.md §2.19)", async () => {
  let now = 0;
  const getResponse = createResponseCache(limits, () => now);
  const { page, source, change } = createPage();
  for (; now < 10_000; now += 10) {
    change(`at ${now}`);
    const [renderedAt = ""] = /\d+/.exec(await read(getResponse, { ...source, maxStale: 1_000 })) ?? [];
    expect(now - Number(renderedAt)).toBeLessThan(1_000);
  }
  expect(page.render.mock.calls.length).toBeLessThanOrEqual(22);
  now += 1_000;
  for (const text of ["after a while", "and again"]) {
    change(text);
    expect(await read(getResponse, { ...source, maxStale: 1_000 })).toBe(text);
  }
});

test("a stale response is current until its limit", async () => {
  let now = 0;
  const getResponse = createResponseCache(limits, () => now);
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
  const getResponse = createResponseCache(limits, () => 0);
  const { source, change } = createPage();
  for (const text of ["second", "third", "fourth"]) {
    change(text);
    expect(await read(getResponse, source)).toBe(text);
  }
});

test("only a page that is neither cached nor being rendered needs admission", async () => {
  const getResponse = createResponseCache(limits);
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

test("every encoding decodes to the same text, and is encoded once", async () => {
  const { body } = await createResponseCache(limits)(createPage().source);
  expect(String(brotliDecompressSync(await body("br")))).toBe("first");
  expect(String(gunzipSync(await body("gzip")))).toBe("first");
  expect(await body("br")).toBe(await body("br"));
});

test("a page's hash depends on its text and its policy", async () => {
  const hashOf = async (rendering: Rendering) => {
    const { page, source } = createPage();
    page.render.mockResolvedValueOnce(rendering);
    return (await createResponseCache(limits)(source)).hash;
  };
  const hash = await hashOf({ text: "a", policy: "b" });
  expect(await hashOf({ text: "a", policy: "b" })).toBe(hash);
  expect(await hashOf({ text: "a", policy: "c" })).not.toBe(hash);
  expect(await hashOf({ text: "c", policy: "b" })).not.toBe(hash);
});

test("a failed rendering is not cached", async () => {
  const getResponse = createResponseCache(limits);
  const { page, source } = createPage();
  page.render.mockRejectedValueOnce(new Error("broken"));
  await expect(getResponse(source)).rejects.toThrow("broken");
  expect(await read(getResponse, source)).toBe("first");
});

test("the number of cached responses is bounded", async () => {
  const getResponse = createResponseCache({ ...limits, maxEntries: 1 });
  const first = createPage("/?page=1");
  const other = createPage("/?page=2");
  for (const { source } of [first, other, first]) await getResponse(source);
  expect(first.page.render).toHaveBeenCalledTimes(2);
});

test("the size of the cache is bounded, and a response larger than that evicts nothing", async () => {
  const getResponse = createResponseCache({ ...limits, maxBytes: 700 });
  const first = createPage("/?page=1", "x".repeat(200));
  const other = createPage("/?page=2", "x".repeat(200));
  const large = createPage("/?page=3", "x".repeat(2_000));
  for (const { page, source } of [first, other, first, large, large, first]) {
    expect(await read(getResponse, source)).toBe(page.text);
  }
  expect([first, other, large].map(({ page }) => page.render.mock.calls.length)).toEqual([2, 1, 2]);
});
