import type { Kysely } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../../database/schema.server.ts";
import type { SigningKeys } from "../tokens/signing-keys.server.ts";
import { deleteExpiredFlows } from "./flows-table.server.ts";
import { deleteExpiredSessions } from "./sessions-table.server.ts";

/** How often an instance sees to accounts, in ms; what several do at the same time does no harm. */
const EVERY = 10 * 60_000;

/** Removes what has expired and rotates the keys, now and every ten minutes until it is stopped. Failures are logged. */
export function startAuthMaintenance(db: Kysely<Schema>, keys: SigningKeys, log: Logger): { stop: () => Promise<void> } {
  let running = Promise.resolve();
  const run = () => {
    running = keepUp(db, keys).catch((error: Error) => {
      log.warn({ error: error.message }, "Accounts could not be swept; it is tried again in ten minutes");
    });
  };
  run();
  const timer = setInterval(run, EVERY);
  return {
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}

async function keepUp(db: Kysely<Schema>, keys: SigningKeys): Promise<void> {
  await keys.rotate();
  await deleteExpiredFlows(db);
  await deleteExpiredSessions(db);
}
