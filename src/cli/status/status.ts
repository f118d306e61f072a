import { CommandError, type Db } from "../command.ts";
import { print } from "../console.ts";
import { plural } from "../progress-bar.ts";
import { describeStatus } from "./describe-status.ts";
import { findStatus, type StatusConfig } from "./find-status.ts";
import { findWaiting } from "./waiting.ts";

/** @throws CommandError if something waits for the operator */
export async function printStatus(db: Db, config: StatusConfig, { json }: { json?: boolean }): Promise<void> {
  const status = await findStatus(db, config);
  const waiting = findWaiting(status);
  print(json ? JSON.stringify({ ...status, waiting }, null, 2) : describeStatus(status, waiting));
  if (waiting.length > 0)
    throw new CommandError(`${plural(waiting.length, "thing waits", "things wait")} for you.`);
}
