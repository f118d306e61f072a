import { findUsers, type NamedUser } from "../../src/auth/users.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { harmless } from "./console.ts";

export type Db = Database["db"];

/** The options of all commands, each as `node:util` reads it. */
export const options = {
  help: { type: "boolean", short: "h" },
  show: { type: "string" },
  user: { type: "string" },
  "remove-reviews": { type: "boolean" },
} as const;

/** What follows a command's name. */
export interface Given {
  values: string[];
  options: { show?: string; user?: string; "remove-reviews"?: boolean };
}

/** What a command takes, and what it does: it prints that, and resolves with the exit code. */
export interface Command {
  /** How many values. */
  parameters: number;
  options: readonly Exclude<keyof typeof options, "help">[];
  /** Whether at least one of the options has to be there. */
  needsOption?: boolean;
  /** @throws Refusal */
  run: (db: Db, given: Given) => Promise<number>;
}

/** Why a command changes nothing: a line for the operator. */
export class Refusal extends Error {
  override name = "Refusal";
}

/**
 * The one user of an id or an e-mail.
 * @throws Refusal where there is none, or more than one
 */
export async function findOneUser(db: Db, emailOrId = ""): Promise<NamedUser> {
  const [user, ...others] = await findUsers(db, emailOrId);
  if (!user) throw new Refusal(`There is no user ${emailOrId}.`);
  if (others.length > 0) {
    const ids = [user, ...others].map(({ id }) => id);
    throw new Refusal(`${ids.length} users have the e-mail ${emailOrId}: name one by its id (${ids.join(", ")}).`);
  }
  return user;
}

/** A user as the operator is told of one. */
export function nameOf({ email, id }: NamedUser): string {
  return `${harmless(email)} (${id})`;
}

/** A show as the operator is told of one. */
export function titleOf({ title, id }: { title: string; id: string }): string {
  return `“${harmless(title)}” (${harmless(id)})`;
}
