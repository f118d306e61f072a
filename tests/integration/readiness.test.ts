import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { connectDatabase } from "../../src/database/open.server.ts";
import { createReadiness } from "../../src/server/readiness.server.ts";
import { givenRefresh } from "../support/given.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { snapshotOf } from "../support/snapshot.ts";

const log = pino({ level: "silent" });
/** In ms: more than a slow machine needs. */
const TIMEOUT = 30_000;
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
  const readiness = createReadiness({
    ...{ catalogue, db, log, timeout: TIMEOUT },
    isStopping: () => isStopping,
    now: () => time,
  });
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

test.each([
  ["reviews cannot be inserted", "revoke insert on reviews from doorkeeper", "reviews"],
  [
    "sign-ins and tallies cannot be updated",
    "revoke update on sign_ins, tallies from doorkeeper",
    "sign_ins, tallies",
  ],
  ["sessions cannot be deleted", "revoke delete on sessions from doorkeeper", "sessions"],
  ["refreshes cannot be read", "revoke all on refreshes from doorkeeper", "refreshes"],
  ["the schema cannot be used", "revoke usage on schema public from doorkeeper, public", "reviews"],
])(
  "where %s for want of rights, nothing can be written, and the reason names the tables",
  async (_what, revoke, tables) => {
    const { db, pool, url, close } = await createTestDatabase();
    const narrow = Object.assign(new URL(url), { username: "doorkeeper", password: "choose-another" });
    await pool.query(`create role doorkeeper login password '${narrow.password}'`);
    await pool.query(
      "grant usage on schema public to doorkeeper; grant all on all tables in schema public to doorkeeper",
    );
    const asRole = connectDatabase(narrow.href, log, async () => {});
    onTestFinished(async () => {
      await asRole.close();
      await pool.query("drop owned by doorkeeper; drop role doorkeeper");
      await close();
    });
    await givenRefresh(db);
    const catalogue = createCatalogue();
    await catalogue.replace(snapshotOf([]));
    let time = 0;
    const readiness = createReadiness({
      ...{ catalogue, log, db: asRole.db, timeout: TIMEOUT },
      isStopping: () => false,
      now: () => time,
    });
    expect(await readiness()).toMatchObject({ ready: true, database: "up", writing: true, reason: null });
    await pool.query(revoke);
    time = 1_000;
    const lacking = await readiness();
    expect(lacking).toMatchObject({ ready: true, database: "up", writing: false });
    expect(lacking.reason).toMatch(new RegExp(`lacks rights to ${tables}: grant `));
    expect(lacking.last_refresh).toMatchObject({ outcome: "succeeded" });
  },
);
