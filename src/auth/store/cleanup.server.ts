import type { Kysely } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../../database/schema.server.ts";
import { runPeriodically } from "../../lib/run-periodically.server.ts";
import type { SigningKeys } from "../tokens/signing-keys.server.ts";
import { deleteExpiredSessions } from "./sessions-table.server.ts";
import { deleteOldSignIns } from "./sign-ins-table.server.ts";

/** The interval in ms. Instances need not coordinate: concurrent runs are harmless. */
const INTERVAL = 10 * 60_000;

/**
 * Rotates the signing keys and deletes old sign-ins and expired sessions, now and every ten minutes. Failures are
 * logged. `stop` resolves when a run in progress has ended.
 */
export function startAuthMaintenance(
  db: Kysely<Schema>,
  keys: SigningKeys,
  log: Logger,
): { stop: () => Promise<void> } {
  return runPeriodically(
    () => maintain(db, keys),
    INTERVAL,
    (error) => log.warn({ error: error.message }, "Account maintenance failed; retrying in ten minutes"),
  );
}

async function maintain(db: Kysely<Schema>, keys: SigningKeys): Promise<void> {
  await keys.rotate();
  await deleteOldSignIns(db);
  await deleteExpiredSessions(db);
}
