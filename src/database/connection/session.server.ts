import { sql } from "kysely";
import pg from "pg";
import type { Db } from "../schema.server.ts";

const READ_ONLY_TRANSACTION = "25006";

export const selectReadOnly = "select current_setting('transaction_read_only') = 'on' as read_only";

export class ReadOnlyServerError extends Error {
  override name = "ReadOnlyServerError";
  constructor() {
    super("The database is read-only (a replica, or a primary that was demoted)");
  }
}

export function isReadOnlyRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === READ_ONLY_TRANSACTION;
}

const STATEMENT_TIMEOUT_MS = 30_000;

const FIRST_QUERY_TIMEOUT_MS = 5_000;

/** PostgreSQL reports these, so that poolers keep them for each client. `pg` reads only ISO dates. */
const reportedSettings = {
  client_encoding: "UTF8",
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres",
  standard_conforming_strings: "on",
  TimeZone: "UTC",
};

const ownSettings = {
  ...reportedSettings,
  bytea_output: "hex",
  default_transaction_isolation: "read committed",
  extra_float_digits: "1",
  idle_session_timeout: "0",
  lock_timeout: "0",
  transaction_timeout: "0", // since PostgreSQL 17
};

interface SessionOptions {
  /** Whether a pooler may give each transaction another session. */
  sharesSessions?: boolean;
  /** In ms; 0 means none. */
  statementTimeout?: number;
}

/** By a query, because poolers refuse parameters of the connection. @throws ReadOnlyServerError */
export async function prepareSession(
  client: pg.ClientBase,
  { sharesSessions = false, statementTimeout = STATEMENT_TIMEOUT_MS }: SessionOptions = {},
): Promise<void> {
  const timeout = String(statementTimeout);
  const settings = sharesSessions
    ? reportedSettings
    : { ...ownSettings, statement_timeout: timeout, idle_in_transaction_session_timeout: timeout };
  const query = {
    text: `select current_setting('transaction_read_only') = 'on' as read_only,
      (select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as wanted (name, value)
        where current_setting(name, true) <> value)`,
    values: [Object.keys(settings), Object.values(settings)],
    query_timeout: FIRST_QUERY_TIMEOUT_MS,
  };
  const { rows } = await client.query<{ read_only: boolean }>(query);
  if (rows[0]?.read_only) throw new ReadOnlyServerError();
}

const tablePrivileges = ["select", "insert", "update", "delete"];

export async function findWriteProblem(db: Db): Promise<string | null> {
  const { rows } = await sql<{ read_only: boolean; denied: string | null }>`
    select current_setting('transaction_read_only') = 'on' as read_only,
      case when to_regclass('reviews') is null then 'reviews' else (
        select string_agg(relname, ', ' order by relname) from pg_class
        where relkind = 'r' and relnamespace = (select relnamespace from pg_class where oid = to_regclass('reviews'))
          and exists (select from unnest(${tablePrivileges}::text[]) as privilege
            where not has_table_privilege(pg_class.oid, privilege))) end as denied`.execute(db);
  if (rows[0]?.read_only) return new ReadOnlyServerError().message;
  if (!rows[0]?.denied) return null;
  return `The database's role lacks rights to ${rows[0].denied}: grant usage of the schema, and ${tablePrivileges.join(", ")} on all its tables`;
}
