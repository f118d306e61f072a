import { pino } from "pino";
import { expect, test } from "vitest";
import { startFestivalStandIn } from "../../dev/festival/server.ts";
import { refreshShows } from "../../src/refresh/refresh.server.ts";
import { fetchProgramme } from "../../src/refresh/programme.server.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { sql } from "kysely";
test("tryout", async () => {
  const database = await createTestDatabase();
  console.time("invent"); const standIn = await startFestivalStandIn(); console.timeEnd("invent");
  const log = pino({ level: "info" });
  console.time("fetch"); const p = await fetchProgramme({...standIn, log}, {year:2025}); console.timeEnd("fetch");
  console.log(p.shows.length, p.bad.length, JSON.stringify(p.shows).length);
  for (let i=0;i<2;i++) { console.time("refresh"); console.log(await refreshShows({ db: database.db, api: standIn, log })); console.timeEnd("refresh"); }
  console.log((await sql`select * from refreshes`.execute(database.db)).rows);
  console.log((await sql`select pg_size_pretty(pg_total_relation_size('shows')) as s, avg(length(details::text)) as d, avg(length(description)) from shows`.execute(database.db)).rows);
  standIn.faults.rules.push({kind:"shuffled", places: 300});
  console.time("shuffled"); console.log(await refreshShows({ db: database.db, api: standIn, log })); console.timeEnd("shuffled");
  console.log(standIn.requests.length);
  await standIn.close(); await database.close();
}, 120000);
