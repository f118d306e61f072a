import { sql } from "kysely";
import type { Logger } from "pino";
import { createExpiringMap } from "../lib/expiring-map.server.ts";
import type { Db } from "./schema.server.ts";

/** docs/operations/incidents.md#security-events lists all of them. */
export const securityEvents = [
  "sign_in",
  "sign_in_refused",
  "write_refused",
  "session_ended",
  "account_deleted",
  "account_deletion_refused",
  "account_banned",
  "account_unbanned",
  "action_audited",
  "note_reported",
  "objection_made",
] as const;

/** Only ids and codes: no e-mail address, network address or text of a user. */
export type SecurityEvent = {
  event: (typeof securityEvents)[number];
  user_id?: string | null;
} & Record<string, string | number | null>;

/** At any `LOG_LEVEL`. Must be called after the commit. */
export function logSecurityEvent(log: Logger, event: SecurityEvent): void {
  log.child({}, { level: "info" }).info(event, "Security event");
}

/** For each reason, because anybody can cause refusals. The metrics count all. */
const REFUSALS_A_MINUTE = 60;

export function createRefusalLog(log: Logger) {
  const logged = createExpiringMap<number>({ ttl: 60_000, max: 100 });
  return function logRefusal(refusal: SecurityEvent & { reason: string }) {
    const count = logged.get(refusal.reason) ?? logged.add(refusal.reason, 0);
    if (++count.value <= REFUSALS_A_MINUTE) logSecurityEvent(log, refusal);
  };
}

export const SECURITY_CHANNEL = "security_event";

/** For transactions, and for commands, which have no log: each running instance logs the event after the commit. */
export async function notifySecurityEvent(db: Db, event: SecurityEvent): Promise<void> {
  await sql`select pg_notify(${SECURITY_CHANNEL}, ${JSON.stringify(event)})`.execute(db);
}
