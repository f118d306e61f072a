import type pg from "pg";
import { findUsers, type UserSummary } from "../auth/store/manage-users.server.ts";
import type { Config } from "../config/environment.server.ts";
import type { Db } from "../database/schema.server.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { escapeControls } from "./console.ts";

export interface Site {
  db: Db;
  pool: pg.Pool;
  /** For sessions that last. */
  directUrl: string;
  config: Config;
}

export async function findOneUser(db: Db, emailOrId: string): Promise<UserSummary> {
  const [user, ...others] = await findUsers(db, emailOrId);
  if (!user) throw new OperatorError(`There is no user ${emailOrId}.`);
  if (others.length > 0) {
    const ids = [user, ...others].map(({ id }) => id);
    throw new OperatorError(
      `${ids.length} users have the e-mail ${emailOrId}: name one by its id (${ids.join(", ")}).`,
    );
  }
  return user;
}

export function describeUser({ email, id }: UserSummary): string {
  return `${escapeControls(email)} (${id})`;
}

export function describeShow({ title, id }: { title: string; id: string }): string {
  return `“${escapeControls(title)}” (${escapeControls(id)})`;
}

export function throwDeleted(emailOrId: string): never {
  throw new OperatorError(`The user ${emailOrId} was deleted meanwhile.`);
}

export async function findShow(db: Db, id: string) {
  const shows = db.selectFrom("shows").select(["id", "title", "listed", "year"]).where("id", "=", id);
  const show = await shows.executeTakeFirst();
  if (!show) throw new OperatorError(`There is no show ${id}.`);
  return show;
}

export async function findSelection(db: Db, { show, user }: { show?: string; user?: string }) {
  return {
    showId: show === undefined ? undefined : (await findShow(db, show)).id,
    userId: user === undefined ? undefined : (await findOneUser(db, user)).id,
  };
}
