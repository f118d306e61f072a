import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { ShowPage } from "../../src/domain/show.ts";
import { createLogger } from "../../src/lib/logger.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { createTestDatabase } from "../support/postgres.ts";

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** A catalogue with one slow search, from which the render queue learns how long pages take. */
function createSlowCatalogue() {
  const catalogue = createCatalogue();
  const find: typeof catalogue.find = (query) => {
    const found = catalogue.find(query);
    return query.search === "slow" ? { ...found, page: slowToRead(found.page) } : found;
  };
  return { ...catalogue, find };
}

/** Reading the page takes 200 ms, as rendering a large one would. */
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

test("counts refused pages only as refused, and does not log them", async () => {
  const lines: string[] = [];
  let refusedCount = 0;
  const log = createLogger("info", { write: (line) => lines.push(line) });
  const { get, metrics } = await createBuiltApp(database, {
    catalogue: createSlowCatalogue(),
    log,
    onRefused: () => refusedCount++,
  });
  // The second page is rendered once the duration of the first is known.
  for (const search of ["slow", "cats"]) await get(`/?search=${search}`);
  const pending: Promise<Response>[] = [];
  for (let n = 0; n < 20; n++) {
    pending.push(get(`/?search=${n}`));
    await nextTurn();
  }
  const responses = await Promise.all(pending);
  const refusals = responses.filter(({ status }) => status === 503);
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals[0]?.headers.get("retry-after")).toBe("5");
  expect(refusedCount).toBe(refusals.length);
  expect(lines).toEqual([]);
  const figures = await metrics.registry.metrics();
  expect(figures).toContain(`duration_seconds_count{method="GET",route="/",status="200"} ${22 - refusals.length}`);
  expect(figures).not.toContain('status="503"');
});
