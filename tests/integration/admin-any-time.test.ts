import { Readable } from "node:stream";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { exportLines } from "../../src/cli/admin/export.ts";
import { importLines } from "../../src/cli/admin/import.ts";
import { auditRows } from "../support/admin.ts";
import { operatedDatabase } from "../support/operated.ts";
import { userId } from "../support/programme.ts";

const operated = operatedDatabase(["Moth Hour"], [{ show: 0, user: 0, interaction: "yes", at: 1 }]);

const unlimited = sql`current_setting('statement_timeout') = '0' and current_setting('idle_in_transaction_session_timeout') = '0'`;

/** The lines of an export. */
const exported = async () => {
  const nobody = () => {};
  return (await Readable.from(exportLines(operated.db(), nobody, nobody)).toArray()).join("");
};

test("an export takes as long as it takes: no statement has a limit", async () => {
  const db = operated.db();
  // Only a statement without limits finds any reviews.
  await sql`alter table reviews rename to all_reviews`.execute(db);
  await sql`create view reviews as select * from all_reviews where ${unlimited}`.execute(db);
  expect((await sql`select from reviews`.execute(db)).rows).toEqual([]);
  const lines = await exported();
  await sql`drop view reviews`.execute(db);
  await sql`alter table all_reviews rename to reviews`.execute(db);
  expect(JSON.parse(lines.trim().split("\n").at(-1) ?? "")).toMatchObject({ type: "review", user_id: userId(0) });
});

test("so does an import", async () => {
  const db = operated.db();
  const bytes = Readable.from([Buffer.from(await exported())]);
  await sql`delete from users`.execute(db);
  await sql`create function tell_limits() returns trigger language plpgsql as $$
    begin new.notes := case when ${unlimited} then 'no limit' end; return new; end $$`.execute(db);
  await sql`create trigger tells_limits before insert on reviews for each row execute function tell_limits()`.execute(
    db,
  );
  await importLines(db, { bytes, signal: new AbortController().signal, onRead: () => {}, onStored: () => {} });
  await sql`drop function tell_limits cascade`.execute(db);
  expect(await db.selectFrom("reviews").select("notes").execute()).toEqual([{ notes: "no limit" }]);
});

test("an import that the database cancels says so in a line, and changes nothing", async () => {
  const db = operated.db();
  const lines = await exported();
  await sql`delete from users`.execute(db);
  const holding = await db.startTransaction().execute();
  await sql`lock table reviews in access exclusive mode`.execute(holding);
  const importing = operated.run(["import", "-"], lines);
  await expect.poll(cancelWhoWaits, { timeout: 30_000 }).toBe(1);
  expect(await importing).toEqual({
    exit: 1,
    out: "",
    err: "The database did not do it (canceling statement due to user request): nothing was changed.\n",
  });
  await holding.rollback().execute();
  expect(await db.selectFrom("users").select("id").execute()).toEqual([]);
  expect(await auditRows(db)).toEqual([]);
});

/** Cancels what waits for a lock; resolves with how many statements that was. */
async function cancelWhoWaits(): Promise<number> {
  const { rows } = await sql`
    select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(operated.db());
  return rows.length;
}
