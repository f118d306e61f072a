import { type Selectable, sql } from "kysely";
import { expect } from "vitest";
import type { Db, Schema } from "../../src/database/schema.server.ts";

/** All rows of a table, in the order of these columns. */
export async function storedRows<
  Name extends keyof Schema,
  Column extends keyof Selectable<Schema[Name]> & string,
>(db: Db, table: Name, columns: readonly Column[]): Promise<Pick<Selectable<Schema[Name]>, Column>[]> {
  const list = sql.join(columns.map((column) => sql.ref(column)));
  const order = sql.join(columns.map((_, index) => sql.lit(index + 1)));
  const rows = sql<
    Pick<Selectable<Schema[Name]>, Column>
  >`select ${list} from ${sql.table(table)} order by ${order}`;
  return (await rows.execute(db)).rows;
}

export async function countRows(
  db: Db,
  tables: readonly (keyof Schema)[],
  where: Record<string, string> = {},
): Promise<Record<string, number>> {
  const counts = tables.map(async (table) => {
    const conditions = Object.entries(where).map(
      ([column, value]) => sql`${sql.ref(column)}::text = ${value}`,
    );
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${sql.table(table)}
      where ${sql.join([sql`true`, ...conditions], sql` and `)}`.execute(db);
    return [table, rows[0]?.count ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

export const auditRows = (db: Db) =>
  db.selectFrom("audit").select(["action", "details"]).orderBy("id").execute();

/** Expects stored tallies to equal a recount. Returns them. */
export async function expectTrueTallies(db: Db) {
  const columns = ["show_id", "no", "very_little", "yes", "latest_at"] as const;
  const tallies = await storedRows(db, "tallies", columns);
  const recounted = await sql`
    select show_id, count(*) filter (where audience_interaction = 'no')::integer as no,
      count(*) filter (where audience_interaction = 'very_little')::integer as very_little,
      count(*) filter (where audience_interaction = 'yes')::integer as yes, max(created_at) as latest_at
    from reviews where counted group by show_id order by show_id`.execute(db);
  const reviewed = tallies.filter(({ no, very_little, yes }) => no + very_little + yes > 0);
  expect(reviewed).toEqual(recounted.rows);
  return reviewed;
}

/** The number of rows in each table of accounts, and of unfinished sign-in attempts. */
export async function countAccountRows(db: Db) {
  const waiting = sql<{ count: number }>`select count(*)::integer as count from sign_ins
    where exchanged_at is null and (code_hash is not null or location is null)`;
  const { rows } = await waiting.execute(db);
  return { ...(await countRows(db, ["users", "identities", "sessions"])), waiting: rows[0]?.count };
}

export const noAccountRows = { users: 0, identities: 0, sessions: 0, waiting: 0 };
const lockWaiters = sql`from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

export const countLockWaiters = async (db: Db) => (await sql`select ${lockWaiters}`.execute(db)).rows.length;

export const cancelLockWaiters = async (db: Db) =>
  (await sql`select pg_cancel_backend(pid) ${lockWaiters}`.execute(db)).rows.length;

export async function storedTexts(db: Db, table: keyof Schema): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(table)} t`.execute(db);
  return rows.map(({ text }) => text);
}

export async function countedWrites(db: Db, userId: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ key: string; points: number }>`
    select key, points from review_limits where key like ${`%:${userId}`} order by expire`.execute(db);
  return Object.fromEntries(rows.map(({ key, points }) => [key.split(":")[0], points]));
}
