import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { ShowPage } from "../../src/domain/show.ts";
import { createLogger } from "../../src/lib/logger.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { bareShow, noTallies, snapshotOf } from "../support/snapshot.ts";

const database = await setUpDatabase();

function createSlowCatalogue() {
  const catalogue = createCatalogue();
  const find: typeof catalogue.find = (query) => {
    const found = catalogue.find(query);
    return query.search.startsWith("slow") ? { ...found, page: slowToRead(found.page) } : found;
  };
  return { ...catalogue, find };
}

function slowToRead(page: ShowPage): ShowPage {
  return {
    ...page,
    get shows() {
      const until = performance.now() + 200;
      while (performance.now() < until);
      return page.shows;
    },
  };
}

/** Two slow renderings make the others wait for longer than they may. */
async function requestInTurn(get: (path: string) => Promise<Response>, count: number) {
  const pending: Promise<Response>[] = [];
  for (let n = 0; n < count; n++) {
    pending.push(get(`/?search=${n < 2 ? "slow" : ""}${n}`));
    await nextTurn();
  }
  return pending;
}

function listedShow(index: number) {
  const few = index % 2;
  return { ...bareShow(`show-${index}`), reviews: { ...noTallies, no: few, total: few } };
}

test("the pages of the list are served despite rare searches, a review and a full render queue", async () => {
  const catalogue = createSlowCatalogue();
  await catalogue.replace(snapshotOf(Array.from({ length: 41 }, (_, index) => listedShow(index))));
  const { get } = await createBuiltApp(database, { catalogue });
  const lists = "/ /?page=2 /?page=3 /?interaction=no /?interaction=no&interaction=yes";
  const pages = `${lists} /auth /terms /privacy`.split(" ");
  for (const page of pages) await get(page);
  for (let n = 0; n < 600; n++) await get(`/?search=rare${n}`);
  const latest_at = "2025-08-04T12:00:00.000Z";
  const tallies = { no: 0, very_little: 0, yes: 1, latest_at, revision: 1 };
  expect(catalogue.updateTallies("show-7", tallies)).toBe(true);
  const flood = await requestInTurn(get, 40);
  const statuses = await Promise.all(pages.map(async (page) => (await get(page)).status));
  expect(statuses).toEqual(pages.map(() => 200));
  expect((await Promise.all(flood)).filter(({ status }) => status === 503).length).toBeGreaterThan(0);
});

test.for(["/", "/?page=2", "/?search=owls&interaction=yes", "/?show=show-7"])(
  "a rendering of %s that takes longer than its limit is refused, once for each request that waits for it",
  async (path) => {
    const catalogue = createCatalogue();
    await catalogue.replace(snapshotOf(Array.from({ length: 41 }, (_, index) => listedShow(index))));
    const find: typeof catalogue.find = (query) => {
      const { page, ...found } = catalogue.find(query);
      const shows = () => vi.advanceTimersByTime(5_000) && page.shows;
      return {
        ...found,
        page: Object.defineProperty({ ...page }, "shows", { get: shows, enumerable: true }),
      };
    };
    let refusedCount = 0;
    const { get } = await createBuiltApp(database, {
      catalogue: { ...catalogue, find },
      onRefused: () => refusedCount++,
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const responses = await Promise.all([get(path), get(path), get(path)]);
    for (const { status, headers } of responses)
      expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
    for (const text of await Promise.all(responses.map((response) => response.text())))
      expect(text).toContain("Front Row is very busy. Please try again in a moment.");
    expect(refusedCount).toBe(3);
  },
);

test("counts refused pages only as refused, and does not log them", async () => {
  const lines: string[] = [];
  let refusedCount = 0;
  const log = createLogger("info", { write: (line) => lines.push(line) });
  const onRefused = () => refusedCount++;
  const parts = { catalogue: createSlowCatalogue(), log, onRefused };
  const { get, metrics } = await createBuiltApp(database, parts);
  const responses = await Promise.all(await requestInTurn(get, 20));
  const refusals = responses.filter(({ status }) => status === 503);
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals[0]?.headers.get("retry-after")).toBe("5");
  expect(refusedCount).toBe(refusals.length);
  expect(lines).toEqual([]);
  const figures = await metrics.registry.metrics();
  const expected = `duration_seconds_count{method="GET",route="/",status="200"} ${20 - refusals.length}`;
  expect(figures).toContain(expected);
  expect(figures).not.toContain('status="503"');
});
