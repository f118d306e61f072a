import { pino } from "pino";
import { expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { createReadiness } from "../../src/server/readiness.server.ts";
import { givenRefresh } from "../support/given.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { snapshotOf } from "../support/snapshot.ts";

const log = pino({ level: "silent" });
const database = await setUpDatabase();
await givenRefresh(database.db);

test("checks the database at most once a second, and reports stopping at once", async () => {
  let time = 0;
  let queries = 0;
  let isStopping = false;
  const db = database.db.withPlugin({
    transformQuery({ node }) {
      queries++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const catalogue = createCatalogue();
  await catalogue.replace(snapshotOf([]));
  const readiness = createReadiness({ catalogue, db, isStopping: () => isStopping, log, now: () => time });
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, readiness));
  expect(first).toMatchObject({ ready: true, database: "up", writing: true, reason: null });
  expect(first?.last_refresh).toMatchObject({ outcome: "succeeded" });
  expect(others).toEqual(others.map(() => first));
  expect(queries).toBe(3);
  await givenRefresh(database.db, { outcome: "failed" });
  time = 999;
  expect(await readiness()).toEqual(first);
  isStopping = true;
  expect(await readiness()).toEqual({ ...first, ready: false });
  time = 1_000;
  expect(await readiness()).toMatchObject({ last_refresh: { outcome: "failed" } });
  expect(queries).toBe(6);
});
