import { randomUUID } from "node:crypto";
import type pg from "pg";
import { withTimeout } from "../../lib/bounded-wait.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { createCheckClient } from "./check-server.server.ts";
import { describeServer } from "./database-url.server.ts";

const TIMEOUT_MS = 5_000;

/** Behind a pooler by transaction, any client may get a notification. @throws OperatorError */
export async function checkSessions(url: string, directUrl: string): Promise<void> {
  const listener = createCheckClient(directUrl, TIMEOUT_MS);
  const sender = createCheckClient(url, TIMEOUT_MS);
  try {
    await Promise.all([listener.connect(), sender.connect()]);
    if (!(await sendNotification(listener, sender))) throw new OperatorError(describeLoss(url, directUrl));
  } finally {
    for (const client of [listener, sender]) client.connection.stream.destroy();
  }
}

function describeLoss(url: string, directUrl: string): string {
  return url === directUrl
    ? `The database at ${describeServer(url)} is behind a pooler that lends connections by transaction, where notifications and locks do not work. Set DATABASE_DIRECT_URL to the address of the database itself, or use the pooler's session mode.`
    : `DATABASE_DIRECT_URL (${describeServer(directUrl)}) does not get the notifications that are sent through DATABASE_URL (${describeServer(url)}): it must lead to the same database, without a pooler or through one in session mode.`;
}

async function sendNotification(listener: pg.Client, sender: pg.Client): Promise<boolean> {
  const channel = `front_row_check_${randomUUID().replaceAll("-", "")}`;
  const { promise: received, resolve } = Promise.withResolvers<boolean>();
  listener.on("notification", (message) => message.channel === channel && resolve(true));
  sender.on("notification", (message) => message.channel === channel && resolve(false));
  await listener.query(`listen ${channel}`);
  // In a transaction, like the site's notifications. A pooler may refuse those.
  // All that notify in the whole cluster wait for each other's commit: longer than a role's own limit may be.
  for (const statement of ["begin", "set local lock_timeout = 0", `notify ${channel}`, "commit"])
    await sender.query(statement);
  return withTimeout(TIMEOUT_MS, received).catch(() => false);
}
