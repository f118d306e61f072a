import { findUsers, type UserSummary } from "../../auth/store/manage-users.server.ts";
import type { Database } from "../../database/open.server.ts";
import { harmless } from "./console.ts";

export type Db = Database["db"];

/** What a command does: it prints that, and resolves with the exit code. It may throw a Refusal. */
export type Task = (db: Db) => Promise<number>;

/** Why a command changes nothing: a line for the operator. */
export class Refusal extends Error {
  override name = "Refusal";
}

/**
 * The one user of an id or an e-mail.
 * @throws Refusal where there is none, or more than one
 */
export async function findOneUser(db: Db, emailOrId: string): Promise<UserSummary> {
  const [user, ...others] = await findUsers(db, emailOrId);
  if (!user) throw new Refusal(`There is no user ${emailOrId}.`);
  if (others.length > 0) {
    const ids = [user, ...others].map(({ id }) => id);
    throw new Refusal(`${ids.length} users have the e-mail ${emailOrId}: name one by its id (${ids.join(", ")}).`);
  }
  return user;
}

/** A user as the operator is told of one. */
export function nameOf({ email, id }: UserSummary): string {
  return `${harmless(email)} (${id})`;
}

/** A show as the operator is told of one. */
export function titleOf({ title, id }: { title: string; id: string }): string {
  return `“${harmless(title)}” (${harmless(id)})`;
}
