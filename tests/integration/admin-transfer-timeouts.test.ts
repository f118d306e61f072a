import { Readable } from "node:stream";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { exportLines } from "../../src/cli/backup/export.ts";
import { importLines } from "../../src/cli/backup/import.ts";
import { setUpAdminDatabase } from "../support/admin-database.ts";
import { givenDeleted } from "../support/given.ts";
import { userId } from "../support/programme.ts";
import { auditRows, cancelLockWaiters, storedRows } from "../support/stored.ts";

const operated = setUpAdminDatabase(["Moth Hour"], [{ show: 0, user: 0, interaction: "yes", at: 1 }]);

/** Whether the transaction runs without statement and idle timeouts. */
const unlimited = sql`current_setting('statement_timeout') = '0' and current_setting('idle_in_transaction_session_timeout') = '0'`;

const exportText = async () => {
  const ignore = () => {};
  return (await Readable.from(exportLines(operated.db(), ignore)).toArray()).join("");
};

test("an export runs without statement timeouts", async () => {
  const db = operated.db();
  // The view hides all reviews from statements with a timeout.
  await sql`alter table reviews rename to all_reviews`.execute(db);
  await sql`create view reviews as select * from all_reviews where ${unlimited}`.execute(db);
  expect((await sql`select from reviews`.execute(db)).rows).toEqual([]);
  const lines = await exportText();
  await sql`drop view reviews`.execute(db);
  await sql`alter table all_reviews rename to reviews`.execute(db);
  expect(JSON.parse(lines.trim().split("\n").at(-1) ?? "")).toMatchObject({
    type: "review",
    user_id: userId(0),
  });
});

test("an import runs without statement timeouts", async () => {
  const db = operated.db();
  const bytes = Readable.from([Buffer.from(await exportText())]);
  await givenDeleted(db, "users");
  await sql`create function mark_unlimited() returns trigger language plpgsql as $$
    begin new.notes := case when ${unlimited} then 'unlimited' end; return new; end $$`.execute(db);
  await sql`create trigger marks_unlimited before insert on reviews for each row execute function mark_unlimited()`.execute(
    db,
  );
  await importLines(db, {
    bytes,
    signal: new AbortController().signal,
    onRead: () => {},
    onStored: () => {},
  });
  await sql`drop function mark_unlimited cascade`.execute(db);
  expect(await storedRows(db, "reviews", ["notes"])).toEqual([{ notes: "unlimited" }]);
});

test("an import that PostgreSQL cancels reports it in one line and changes nothing", async () => {
  const db = operated.db();
  const lines = await exportText();
  await givenDeleted(db, "users");
  const locker = await db.startTransaction().execute();
  await sql`lock table reviews in access exclusive mode`.execute(locker);
  const importing = operated.runProcess(["import", "-"], lines);
  await expect.poll(() => cancelLockWaiters(db), { timeout: 30_000 }).toBe(1);
  expect(await importing).toEqual({
    exit: 1,
    out: "",
    err: "The database did not do it (canceling statement due to user request): nothing was changed.\n",
  });
  await locker.rollback().execute();
  expect(await storedRows(db, "users", ["id"])).toEqual([]);
  expect(await auditRows(db)).toEqual([]);
});
