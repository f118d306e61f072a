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

/** A list that took long to make once, by which the site knows better than to begin many more. */
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

test("pages that are refused are counted as refused and are in no other figure, and the log has no line for each", async () => {
  const lines: string[] = [];
  let refused = 0;
  const log = createLogger("info", { write: (line) => lines.push(line) });
  const { get, metrics } = await createBuiltApp(database, {
    catalogue: createSlowCatalogue(),
    log,
    onRefused: () => refused++,
  });
  // The second one's turn comes when it is known how long the first one took.
  for (const search of ["slow", "cats"]) await get(`/?search=${search}`);
  const asked: Promise<Response>[] = [];
  for (let n = 0; n < 20; n++) {
    asked.push(get(`/?search=${n}`));
    await nextTurn();
  }
  const answers = await Promise.all(asked);
  const busy = answers.filter(({ status }) => status === 503);
  expect(busy.length).toBeGreaterThan(0);
  expect(busy[0]?.headers.get("retry-after")).toBe("5");
  expect(refused).toBe(busy.length);
  expect(lines).toEqual([]);
  const figures = await metrics.registry.metrics();
  expect(figures).toContain(`duration_seconds_count{method="GET",route="/",status="200"} ${22 - busy.length}`);
  expect(figures).not.toContain('status="503"');
});
