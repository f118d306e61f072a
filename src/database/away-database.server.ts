import { Kysely, PostgresDialect } from "kysely";
import { DatabaseAwayError } from "./database-start-error.server.ts";
import type { Schema } from "./schema.server.ts";

/** A database that is away: every query fails as an outage does, and none reaches a server. */
export function createAwayDatabase(): Kysely<Schema> {
  const pool = () => Promise.reject(new DatabaseAwayError());
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}
