import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { Database } from "../../src/database/open.server.ts";
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
  const list: typeof catalogue.list = (query) => {
    const until = performance.now() + (query.search === "slow" ? 200 : 0);
    while (performance.now() < until);
    return catalogue.list(query);
  };
  return { ...catalogue, list };
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
