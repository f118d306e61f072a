import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { findSuspiciousGroups } from "../../src/moderation/store/suspicious-accounts.server.ts";
import { plantRings } from "../support/planted-rings.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { expectWithin, printFigure } from "../support/print-figure.ts";

/** Copies of the accounts, for a million reviews. */
const FESTIVALS = 232;

/** Copies in one statement, so that it ends in time. */
const BATCH = 20;

/** The limit, in multiples of the time in which the database sorts all reviews by account and time. */
const MAX_FACTOR = 10;

test("finding suspicious accounts among a million reviews takes at most ten times as long as sorting them", async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  await plantRings(database.db, 101);
  const groups = await findSuspiciousGroups(database.db);
  await copyFestival(database);
  const { rows } = await sql<{ count: number }>`select count(*)::integer from reviews`.execute(database.db);
  const times: number[] = [];
  const sortTimes: number[] = [];
  async function find(): Promise<void> {
    expect(await findSuspiciousGroups(database.db)).toHaveLength(groups.length * FESTIVALS);
  }
  for (let run = 0; run < 3; run++) {
    sortTimes.push(await timeOf(() => sortReviews(database)));
    times.push(await timeOf(find));
  }
  printFigure("reviews", rows[0]?.count ?? 0, "");
  expect(rows[0]?.count).toBeGreaterThan(1_000_000);
  const bound = { quiet: Math.max(...sortTimes), factor: MAX_FACTOR };
  expectWithin("suspicious accounts named in, the slowest of three", Math.max(...times), bound);
});

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function sortReviews({ db }: Database): Promise<unknown> {
  return sql`select max(number) from
    (select row_number() over (partition by user_id order by created_at) as number from reviews) numbered`.execute(
    db,
  );
}

async function copyFestival({ db }: Database): Promise<void> {
  // The triggers would count review by review.
  for (const table of ["users", "shows", "reviews", "tallies"])
    await sql`alter table ${sql.table(table)} disable trigger all`.execute(db);
  await sql`create table festival as select show_id, user_id, audience_interaction, notes, created_at
    from reviews`.execute(db);
  await sql`create table people as select id, email, created_at from users`.execute(db);
  await sql`create table programme as select id, title, artist from shows`.execute(db);
  await sql`create function copied(id uuid, copy integer) returns uuid language sql immutable
    return (left(id::text, 15) || lpad(copy::text, 3, '0') || substr(id::text, 19))::uuid`.execute(db);
  for (let from = 1; from < FESTIVALS; from += BATCH) {
    const copies = sql`generate_series(${from}::integer, ${Math.min(from + BATCH, FESTIVALS) - 1}::integer) as copy`;
    await sql`insert into users (id, email, created_at)
      select copied(id, copy), copy || email, created_at from people, ${copies}`.execute(db);
    await sql`insert into shows (id, title, artist, year, status)
      select copy || '-' || id, title, artist || ' ' || copy, ${YEAR}, 'active' from programme, ${copies}`.execute(
      db,
    );
    await sql`insert into tallies (show_id, no, very_little, yes)
      select copy || '-' || show_id, no, very_little, yes from programme join tallies on show_id = id, ${copies}`.execute(
      db,
    );
    await sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
      select copy || '-' || show_id, copied(user_id, copy), audience_interaction, notes, created_at
      from festival, ${copies}`.execute(db);
  }
  await sql`analyze`.execute(db);
}
