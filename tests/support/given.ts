import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from "kysely";
import type { Db, Schema } from "../../src/database/schema.server.ts";
import { YEAR } from "../../src/domain/programme.ts";

type Table = keyof Schema;
type Row<Name extends Table> = Partial<Insertable<Schema[Name]>>;
type Known<Name extends Table> = Partial<Selectable<Schema[Name]>>;

/** Inserts these shows, or this many with names such as `show-1` and `Show 1`. Returns their ids. */
export async function givenShows(db: Db, shows: number | readonly Row<"shows">[]): Promise<string[]> {
  const rows = rowsOf(shows).map((show, index) => {
    const [id, title] = [`show-${index + 1}`, `Show ${index + 1}`];
    return { id, title, year: YEAR, status: "active", ...show } as const;
  });
  return (await insert(db, "shows", rows)).map(({ id }) => id);
}

/** By default, the e-mail is not confirmed. Returns the id. */
export async function givenUser(db: Db, user: Row<"users"> = {}): Promise<string> {
  return (await givenUsers(db, [user]))[0] ?? "";
}

export async function givenUsers(db: Db, users: number | readonly Row<"users">[]): Promise<string[]> {
  const rows = rowsOf(users).map((user) => ({ email: `${crypto.randomUUID()}@people.example`, ...user }));
  return (await insert(db, "users", rows)).map(({ id }) => id);
}

/** By default, Yes of `show-1` by a new user. Returns the id of its note. */
export async function givenReview(db: Db, review: Row<"reviews"> = {}): Promise<string> {
  return (await givenReviews(db, [review]))[0] ?? "";
}

export async function givenReviews(db: Db, reviews: readonly Row<"reviews">[]): Promise<string[]> {
  const authors = await givenUsers(db, reviews.filter(({ user_id }) => user_id === undefined).length);
  const row = { show_id: "show-1", audience_interaction: "yes" } as const;
  const author = () => authors.pop() ?? "";
  const rows = reviews.map((review) => ({ ...row, ...review, user_id: review.user_id ?? author() }));
  return (await insert(db, "reviews", rows)).map(({ note_id }) => note_id);
}

export async function givenIdentity(db: Db, identity: Row<"identities"> & { user_id: string }) {
  const row = {
    provider: "google",
    subject: "1",
    email: "wren@people.example",
    email_verified: true,
  } as const;
  await insert(db, "identities", [{ ...row, ...identity }]);
}

/** Lasts for a day. Returns the id. */
export async function givenSession(db: Db, session: Row<"sessions"> & { user_id: string }) {
  const row = {
    provider: "google",
    refresh_key: Buffer.alloc(32),
    expires_at: fromNow({ days: 1 }),
  } as const;
  return (await insert(db, "sessions", [{ ...row, ...session }]))[0]?.id ?? "";
}

/** A failed sign-in attempt, with its OAuth callback now. */
export async function givenSignIn(db: Db, signIn: Row<"sign_ins"> & { id: string }): Promise<void> {
  const row = {
    provider: "google",
    challenge: "",
    callback_hash: Buffer.of(),
    expires_at: new Date(),
  } as const;
  await insert(db, "sign_ins", [{ ...row, ...signIn }]);
}

/** An open report of a user's note of `show-1`. Returns the id. */
export async function givenReport(db: Db, report: Row<"reports"> & { author_id: string }) {
  const row = { show_id: "show-1", note_id: crypto.randomUUID(), rule: "personal_data" } as const;
  return (await insert(db, "reports", [{ ...row, ...report }]))[0]?.id ?? "";
}

type ReportedNote = Row<"reports"> & {
  author_id: string;
  notes?: string;
  hidden?: boolean;
  reporter_id?: string | null;
  /** What the reporter wrote. */
  text?: string | null;
};

/** An open report of a new note, with its rule as the reason. Returns the id. */
export async function givenReportedNote(
  db: Db,
  { notes = "Ada was picked.", hidden = false, reporter_id = null, text = null, ...report }: ReportedNote,
): Promise<string> {
  const { author_id: user_id, show_id = "show-1", rule = "personal_data" } = report;
  const note_id = await givenReview(db, { user_id, show_id, notes, hidden_rule: hidden ? rule : null });
  const report_id = await givenReport(db, { ...report, note_id });
  await givenReportReason(db, { report_id, note_id, reporter_id, reason: rule, text });
  return report_id;
}

export async function givenReportReason(
  db: Db,
  reason: Row<"report_reasons"> & { report_id: string; note_id: string },
): Promise<void> {
  await insert(db, "report_reasons", [{ reason: "personal_data", ...reason }]);
}

/** Just succeeded, so that a server does not refresh. */
export async function givenRefresh(db: Db, run: Row<"refreshes"> = {}): Promise<void> {
  await insert(db, "refreshes", [{ finished_at: new Date(), outcome: "succeeded", ...run }]);
}

/** Returns the rows with the database's defaults. */
async function insert<Name extends Table>(db: Db, table: Name, rows: readonly Row<Name>[]) {
  if (rows.length === 0) return [];
  const inserted = await db
    .insertInto<Table>(table)
    .values(rows as never)
    .returningAll()
    .execute();
  return inserted as Selectable<Schema[Name]>[];
}

const rowsOf = <Given>(given: number | readonly Given[]): readonly Partial<Given>[] =>
  typeof given === "number" ? Array.from({ length: given }, () => ({})) : given;

/** Removes all rows of these tables and all rows that refer to them. No trigger runs: tallies are removed only with shows. */
export async function givenNone(db: Db, ...tables: (Table | "review_limits")[]): Promise<void> {
  await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))} cascade`.execute(db);
}

/** Deletes rows with these values, or all rows. Triggers run. */
export async function givenDeleted<Name extends Table>(db: Db, table: Name, where: Known<Name> = {}) {
  await sql`delete from ${sql.table(table)} where ${matching(where)}`.execute(db);
}

export async function givenChanged<Name extends Table>(
  db: Db,
  table: Name,
  changes: Updateable<Schema[Name]>,
  where: Known<Name> = {},
): Promise<void> {
  const set = Object.entries(changes).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  await sql`update ${sql.table(table)} set ${sql.join(set)} where ${matching(where)}`.execute(db);
}

/** Moves times of rows with these values into the past, by the database's clock. Null stays null. */
export async function givenEarlier<Name extends Table>(
  db: Db,
  table: Name,
  columns: readonly (keyof Schema[Name] & string)[],
  by: Duration,
  where: Known<Name> = {},
): Promise<void> {
  const set = columns.map(
    (column) => sql`${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${toMs(by) / 1000})`,
  );
  await sql`update ${sql.table(table)} set ${sql.join(set)} where ${matching(where)}`.execute(db);
}

function matching(values: object) {
  const conditions = Object.entries(values).map(
    ([column, value]) => sql<SqlBool>`${sql.ref(column)} is not distinct from ${value}`,
  );
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

type Duration = { days?: number; hours?: number; minutes?: number; seconds?: number };

const toMs = ({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration) =>
  (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;

/** By this machine's clock, which the database uses, too. */
export const fromNow = (duration: Duration) => new Date(Date.now() + toMs(duration));
export const ago = (duration: Duration) => new Date(Date.now() - toMs(duration));

export async function givenNoCounts(db: Db, windows: readonly number[]): Promise<void> {
  for (const seconds of windows)
    await sql`delete from review_limits where key like ${`${seconds}:%`}`.execute(db);
}

export async function setCountedWrites(db: Db, userId: string, seconds: number, count: number) {
  await sql`update review_limits set points = ${count} where key = ${`${seconds}:${userId}`}`.execute(db);
}
