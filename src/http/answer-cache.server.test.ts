import { setImmediate as nextTurn } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { createAnswerCache } from "./answer-cache.server.ts";

const plenty = { answers: 10, bytes: 10_000 };

/** A page whose content is what `shown` says, and that counts how often it is rendered. */
function createPage(key = "/", shown = "first") {
  const page = {
    shown,
    version: 1,
    render: vi.fn(async (content: string) => ({ text: `<p>${content}</p>` })),
  };
  const source = () => ({
    key,
    version: page.version,
    content: () => page.shown,
    render: page.render,
    contentType: "text/html",
  });
  return { page, source };
}

test("however many ask at the same time, a page is rendered once", async () => {
  const answer = createAnswerCache(plenty);
  const { page, source } = createPage();
  const answers = await Promise.all([answer(source()), answer(source()), answer(source())]);
  expect(new Set(answers).size).toBe(1);
  expect(page.render).toHaveBeenCalledTimes(1);
});

test("a change elsewhere does not render a page again, a change on it does", async () => {
  const answer = createAnswerCache(plenty);
  const { page, source } = createPage();
  const before = await answer(source());
  page.version = 2;
  expect(await answer(source())).toBe(before);
  Object.assign(page, { version: 3, shown: "second" });
  const after = await answer(source());
  expect(after.hash).not.toBe(before.hash);
  expect(String(await after.encoded("identity"))).toBe("<p>second</p>");
  expect(page.render).toHaveBeenCalledTimes(2);
});

test("what changes all the time is rendered a few times at once, then now and then, and is never behind for longer", async () => {
  let now = 0;
  const answer = createAnswerCache(plenty, () => now);
  const { page, source } = createPage();
  const ask = async () => String(await (await answer({ ...source(), lag: 500 })).encoded("identity"));
  const change = () => Object.assign(page, { version: page.version + 1, shown: `at ${now}` });
  for (; now < 10_000; now += 10) {
    change();
    const [behind = ""] = /\d+/.exec(await ask()) ?? [];
    expect(now - Number(behind)).toBeLessThanOrEqual(500);
    await nextTurn(); // as it would come in these 10 ms
  }
  expect(page.render.mock.calls.length).toBeGreaterThanOrEqual(24);
  expect(page.render.mock.calls.length).toBeLessThanOrEqual(30);
  change();
  now += 500;
  expect(await ask()).toBe(`<p>${page.shown}</p>`);
});

test("what is sent although it is behind says so, and until when it may be", async () => {
  let now = 0;
  const answer = createAnswerCache(plenty, () => now);
  const { page, source } = createPage();
  const ask = () => answer({ ...source(), lag: 500 });
  for (let version = 1; version <= 6; version++) {
    Object.assign(page, { version, shown: `version ${version}` });
    expect(await ask()).toMatchObject({ isBehind: version === 6 });
  }
  expect(await ask()).toMatchObject({ isBehind: true, standsUntil: 400 });
  now = 500;
  expect(await ask()).toMatchObject({ isBehind: false });
});

test("nobody waits for the next rendering of what changes all the time, unless nobody has asked for it in time", async () => {
  let now = 0;
  const answer = createAnswerCache(plenty, () => now);
  const { page, source } = createPage();
  const ask = async () => String(await (await answer({ ...source(), lag: 500 })).encoded("identity"));
  const changeAndAsk = (version: number) => {
    Object.assign(page, { version, shown: `version ${version}` });
    return ask();
  };
  for (let version = 2; version <= 6; version++) await changeAndAsk(version);
  now = 450;
  expect(await changeAndAsk(7)).toBe("<p>version 6</p>");
  await vi.waitFor(async () => expect(await ask()).toBe("<p>version 7</p>"));
  now = 950;
  expect(await changeAndAsk(8)).toBe("<p>version 8</p>");
});

test("a rendering that nobody waits for and that fails is made again for who asks next", async () => {
  let now = 0;
  const answer = createAnswerCache(plenty, () => now);
  const { page, source } = createPage();
  const ask = async () => String(await (await answer({ ...source(), lag: 500 })).encoded("identity"));
  for (let version = 2; version <= 6; version++) {
    Object.assign(page, { version, shown: `version ${version}` });
    await ask();
  }
  now = 450;
  Object.assign(page, { version: 7, shown: "version 7" });
  page.render.mockRejectedValueOnce(new Error("broken"));
  expect(await ask()).toBe("<p>version 6</p>");
  await vi.waitFor(async () => expect(await ask()).toBe("<p>version 7</p>"));
});

test("a page that has not changed for a while is rendered for each of the next few changes", async () => {
  const answer = createAnswerCache(plenty, () => 0);
  const { page, source } = createPage();
  for (let version = 1; version <= 5; version++) {
    Object.assign(page, { version, shown: `version ${version}` });
    const found = await answer({ ...source(), lag: 500 });
    expect(String(await found.encoded("identity"))).toBe(`<p>version ${version}</p>`);
  }
});

test("while what changes often is rendered again, only who asked first waits for it; after a single change everybody does", async () => {
  const answer = createAnswerCache(plenty, () => 0);
  const { page, source } = createPage();
  const ask = async () => String(await (await answer({ ...source(), lag: 500 })).encoded("identity"));
  const askTwice = async (version: number) => {
    Object.assign(page, { version, shown: `version ${version}` });
    const { promise, resolve } = Promise.withResolvers<void>();
    page.render.mockImplementationOnce((content) => promise.then(() => ({ text: `<p>${content}</p>` })));
    const first = ask();
    await nextTurn();
    const second = ask();
    await nextTurn();
    resolve();
    return Promise.all([first, second]);
  };
  await ask();
  expect(await askTwice(2)).toEqual(["<p>version 2</p>", "<p>version 2</p>"]);
  expect(await askTwice(3)).toEqual(["<p>version 3</p>", "<p>version 2</p>"]);
  expect(await ask()).toBe("<p>version 3</p>");
});

test("what changes often is sent as it was until the new one is there in the encodings that were asked for", async () => {
  const answer = createAnswerCache(plenty, () => 0);
  const { page, source } = createPage();
  const ask = () => answer({ ...source(), lag: 500 });
  const change = () => Object.assign(page, { version: page.version + 1, shown: `version ${page.version + 1}` });
  await ask();
  change();
  const before = await (await ask()).encoded("br");
  change();
  const rendered = await ask(); // and not compressed yet
  const meanwhile = await ask();
  expect(meanwhile).toMatchObject({ isBehind: true });
  expect(await meanwhile.encoded("br")).toBe(before);
  await rendered.encoded("br");
  await nextTurn();
  expect((await ask()).hash).toBe(rendered.hash);
});

test("an answer takes no more memory than it has bytes, in any encoding", async () => {
  const { source } = createPage();
  const answer = await createAnswerCache(plenty)(source());
  for (const encoding of ["br", "gzip", "identity"] as const) {
    const bytes = await answer.encoded(encoding);
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  }
});

test("every encoding holds the same text", async () => {
  const { source } = createPage();
  const answer = await createAnswerCache(plenty)(source());
  expect(String(brotliDecompressSync(await answer.encoded("br")))).toBe("<p>first</p>");
  expect(String(gunzipSync(await answer.encoded("gzip")))).toBe("<p>first</p>");
});

test("what may be asked for once only is compressed less than what comes round again", async () => {
  const shown = Array.from({ length: 2_000 }, (_, item) => `Show ${(item * 7_919) % 1_000}`).join(" ");
  const { source } = createPage("/", shown);
  const sizeOf = async (isRare: boolean) =>
    (await (await createAnswerCache(plenty)({ ...source(), isRare })).encoded("br")).length;
  expect(await sizeOf(true)).toBeGreaterThan(await sizeOf(false));
});

test("a page that fails is not kept", async () => {
  const answer = createAnswerCache(plenty);
  const { page, source } = createPage();
  page.render.mockRejectedValueOnce(new Error("broken"));
  await expect(answer(source())).rejects.toThrow("broken");
  expect(String(await (await answer(source())).encoded("identity"))).toBe("<p>first</p>");
});

test("only so many answers are kept", async () => {
  const answer = createAnswerCache({ ...plenty, answers: 1 });
  const one = createPage("/?page=1");
  const other = createPage("/?page=2");
  await answer(one.source());
  await answer(other.source());
  await answer(one.source());
  expect(one.page.render).toHaveBeenCalledTimes(2);
});

test("only so many bytes are kept, and what is larger than all of that is answered without pushing anything out", async () => {
  const answer = createAnswerCache({ ...plenty, bytes: 1_000 });
  const one = createPage("/?page=1", "x".repeat(200));
  const other = createPage("/?page=2", "x".repeat(200));
  const large = createPage("/?page=3", "x".repeat(2_000));
  for (const asked of [one, other, one, large, large, one]) {
    expect(String(await (await answer(asked.source())).encoded("identity"))).toBe(`<p>${asked.page.shown}</p>`);
  }
  expect([one, other, large].map(({ page }) => page.render.mock.calls.length)).toEqual([2, 1, 2]);
});
