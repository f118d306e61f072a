import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { createResponseCache, type Rendering, type Source } from "./response-cache.server.ts";

function createPage(options: Partial<Parameters<typeof createResponseCache>[0]> = {}) {
  let version = 1;
  const getResponse = createResponseCache({
    maxEntries: 10,
    maxBytes: 100_000,
    contentType: "text/html",
    version: () => version,
    ...options,
  });
  const render = vi.fn(async (text: string): Promise<Rendering> => ({ text }));
  let text = "first";
  const get = (source: Partial<Source> = {}) => {
    const content = () => {
      const current = text;
      return { hash: current, render: () => render(current) };
    };
    return getResponse({ key: "/", content, ...source });
  };
  return {
    get,
    render,
    read: async (source?: Partial<Source>) => String(await (await get(source)).body("identity")),
    change(to = text) {
      text = to;
      version++;
    },
  };
}

test("a page is rendered again after a change of its content, not after other changes", async () => {
  const { get, read, render, change } = createPage();
  const before = await get();
  change();
  expect(before.isCurrent()).toBe(false);
  expect(await get()).toBe(before);
  expect(before.isCurrent()).toBe(true);
  for (const text of ["second", "third", "fourth"]) {
    change(text);
    expect((await get()).hash).not.toBe(before.hash);
    expect(await read()).toBe(text);
  }
  expect(render).toHaveBeenCalledTimes(4);
});

test("another client waits for a turn of its own, and renders only what nobody has rendered", async () => {
  const { get, read, render } = createPage();
  const refused = Promise.withResolvers<never>();
  const late = { client: "a", inTurn: () => refused.promise };
  const both = [get(late), get({ client: "a" })];
  refused.reject(new Error("busy"));
  const other = read({ client: "b", inTurn: (work) => work() });
  for (const result of await Promise.allSettled(both)) expect(result.status).toBe("rejected");
  expect(await other).toBe("first");
  const turn = Promise.withResolvers<void>();
  const inTurn = <T>(work: () => Promise<T>) => turn.promise.then(work);
  const waiting = [get({ key: "/2", client: "a", inTurn }), get({ key: "/2", client: "b", inTurn })];
  const first = await get({ key: "/2", client: "c" });
  turn.resolve();
  expect(await Promise.all(waiting)).toEqual([first, first]);
  expect(render).toHaveBeenCalledTimes(2);
});

test("a request after a change does not get a rendering that began before it", async () => {
  const { read, render, change } = createPage();
  const slow = Promise.withResolvers<Rendering>();
  render.mockReturnValueOnce(slow.promise);
  const before = read();
  change("second");
  expect(await read()).toBe("second");
  slow.resolve({ text: "first" });
  expect(await before).toBe("first");
  expect(await read()).toBe("second");
});

test("a page is stale only within the limit, while it changes faster (docs/product.md §2.19)", async () => {
  let now = 0;
  const { get, read, render, change } = createPage({ maxStale: 1_000, now: () => now });
  for (; now < 10_000; now += 10) {
    change(`at ${now}`);
    const [renderedAt = ""] = /\d+/.exec(await read()) ?? [];
    expect(now - Number(renderedAt)).toBeLessThan(1_000);
  }
  expect(render.mock.calls.length).toBeLessThanOrEqual(22);
  now += 1_000;
  for (const text of ["after a while", "and again"]) {
    change(text);
    expect(await read()).toBe(text);
  }
  const churning = await get();
  change();
  expect(churning.isCurrent()).toBe(true);
  now += 1_000;
  expect(churning.isCurrent()).toBe(false);
});

test("concurrent requests share one rendering, and only a page neither cached nor being rendered is refused", async () => {
  const { get, read, render, change } = createPage();
  const onMiss = () => Promise.reject(new Error("full"));
  await expect(get({ onMiss })).rejects.toThrow("full");
  const slow = Promise.withResolvers<Rendering>();
  render.mockReturnValueOnce(slow.promise);
  const rendering = get();
  await vi.waitFor(() => expect(render).toHaveBeenCalled());
  const others = [get(), get({ onMiss })];
  slow.resolve({ text: "first" });
  for (const other of await Promise.all(others)) expect(other).toBe(await rendering);
  expect(render).toHaveBeenCalledOnce();
  change("second");
  expect(await read({ onMiss })).toBe("second");
});

test("a page's hash depends on its text", async () => {
  const hashOf = async (rendering: Rendering) => {
    const { get, render } = createPage();
    render.mockResolvedValueOnce(rendering);
    return (await get()).hash;
  };
  const hash = await hashOf({ text: "a" });
  expect(await hashOf({ text: "a" })).toBe(hash);
  expect(await hashOf({ text: "c" })).not.toBe(hash);
});

test("a failed rendering is not cached; every encoding of the next decodes to its text, and is encoded once", async () => {
  const { get, render } = createPage();
  render.mockRejectedValueOnce(new Error("broken"));
  await expect(get()).rejects.toThrow("broken");
  const { body } = await get();
  expect(String(brotliDecompressSync(await body("br")))).toBe("first");
  expect(String(gunzipSync(await body("gzip")))).toBe("first");
  expect(await body("br")).toBe(await body("br"));
});

test.each([
  ["number of responses", { maxEntries: 1 }, [200, 210, 200], 3],
  ["size of all texts", { maxBytes: 700 }, [200, 210, 200], 3],
  ["size of one text: a larger one evicts nothing", { maxBytes: 700 }, [200, 999, 999, 200], 3],
])("a cache is bounded by the %s", async (_, options, lengths, rendered) => {
  const { get } = createPage(options);
  const render = vi.fn((text: string) => ({ text }));
  for (const length of lengths) {
    const text = "x".repeat(length);
    await get({ key: `/?${length}`, content: () => ({ hash: text, render: () => render(text) }) });
  }
  expect(render).toHaveBeenCalledTimes(rendered);
});
