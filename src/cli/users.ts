import { copyAccount } from "../accounts/copy-account.server.ts";
import { banUser, deleteUser } from "../accounts/end-account.server.ts";
import { signOutUser, unbanUser } from "../auth/store/manage-users.server.ts";
import type { Db } from "../database/schema.server.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { describeUser, findOneUser, throwDeleted } from "./command.ts";
import { countOf, print } from "./console.ts";

export async function deleteAccount(db: Db, emailOrId: string): Promise<void> {
  const user = await findOneUser(db, emailOrId);
  const deleted = await deleteUser(db, user.id);
  if ("refused" in deleted) throwDeleted(emailOrId);
  const { identities, sessions, reviews } = deleted;
  const withThem = `${countOf(sessions, "session")}, ${countOf(reviews, "review")}`;
  print(`Deleted ${describeUser(user)}: ${countOf(identities, "identity", "identities")}, ${withThem}.`);
}

export async function signOut(db: Db, emailOrId: string): Promise<void> {
  const user = await findOneUser(db, emailOrId);
  const ended = await signOutUser(db, user.id);
  if ("refused" in ended) throwDeleted(emailOrId);
  print(`Signed out ${describeUser(user)}: ${describeEnded(ended)} ended.`);
}

function describeEnded({ sessions, signIns }: { sessions: number; signIns: number }): string {
  return `${countOf(sessions, "session")} and ${countOf(signIns, "sign-in")} under way`;
}

export async function ban(db: Db, emailOrId: string, { removeReviews = false }: { removeReviews?: boolean }) {
  const user = await findOneUser(db, emailOrId);
  const banned = await banUser(db, user.id, { removeReviews });
  if ("refused" in banned) throwDeleted(emailOrId);
  const ended = `${describeEnded(banned)} ended`;
  const reviews = removeReviews ? `${countOf(banned.reviews, "review")} removed` : "reviews stay";
  print(`${banned.wasBanned ? "Was banned before:" : "Banned"} ${describeUser(user)}: ${ended}, ${reviews}.`);
}

export async function unban(db: Db, emailOrId: string): Promise<void> {
  const user = await findOneUser(db, emailOrId);
  const refusal = await unbanUser(db, user.id);
  if (refusal?.refused === "user_not_found") throwDeleted(emailOrId);
  if (refusal) throw new OperatorError(`${describeUser(user)} is not banned.`);
  print(`${describeUser(user)} may sign in again.`);
}

export async function exportUser(db: Db, emailOrId: string): Promise<void> {
  const { id } = await findOneUser(db, emailOrId);
  print(JSON.stringify((await copyAccount(db, id)) ?? throwDeleted(emailOrId), null, 2));
}
