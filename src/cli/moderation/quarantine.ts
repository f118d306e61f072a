import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { findQuarantined, setQuarantine } from "../../moderation/store/quarantine.server.ts";
import { describeUser, findOneUser, throwDeleted } from "../command.ts";
import { countOf, print } from "../console.ts";

/** Finds all users before it changes the first one. */
export async function quarantine(db: Db, emailsOrIds: readonly string[]): Promise<void> {
  if (emailsOrIds.length === 0) return listQuarantine(db);
  const users = [];
  for (const emailOrId of emailsOrIds) users.push(await findOneUser(db, emailOrId));
  for (const user of users) {
    const result = await setQuarantine(db, user.id, true);
    if ("refused" in result) throwDeleted(user.id);
    print(
      result.changed
        ? `In quarantine: ${describeUser(user)}, ${countOf(result.reviews, "review")}.`
        : `Was in quarantine before: ${describeUser(user)}.`,
    );
  }
}

async function listQuarantine(db: Db): Promise<void> {
  const users = await findQuarantined(db);
  if (users.length === 0) print("Nobody is in quarantine.");
  for (const { quarantined_at, ...user } of users)
    print(`${describeUser(user)} since ${quarantined_at.toISOString()}`);
}

export async function unquarantine(db: Db, emailOrId: string): Promise<void> {
  const user = await findOneUser(db, emailOrId);
  const result = await setQuarantine(db, user.id, false);
  if ("refused" in result) throwDeleted(user.id);
  const { changed, reviews } = result;
  if (!changed) throw new OperatorError(`${describeUser(user)} is not in quarantine.`);
  const verb = reviews === 1 ? "counts" : "count";
  print(`Out of quarantine: ${describeUser(user)}, ${countOf(reviews, "review")} ${verb} again.`);
}
