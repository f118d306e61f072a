import { Hono } from "hono";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { Schema } from "../../database/schema.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import type { DeadlineEnv } from "../../http/requests/response-deadline.server.ts";
import type { SignedInUser } from "../session.ts";
import type { OwnDeletionRefusal } from "../store/manage-users.server.ts";
import { readUser } from "../store/read-user.server.ts";
import type { Authenticate } from "./authenticate.server.ts";

const deletion = z.object({ email: z.string() });

const sessionEnded = new HttpError(403, "session_not_found", "The session has ended.");

const refusals: Record<OwnDeletionRefusal, HttpError> = {
  session_ended: sessionEnded,
  reauthentication_needed: new HttpError(403, "reauthentication_needed", "Please sign in again first."),
  wrong_email: new HttpError(400, "wrong_email", "This is not the e-mail of this account."),
};

/** What concerns several features at once. */
export interface WholeAccount {
  /** Null if there is no such user. */
  copy(db: Kysely<Schema>, id: string): Promise<object | null>;
  /**
   * @param email what the user has typed
   * @param deadline on the clock of `performance.now()`
   */
  deleteOwn(
    db: Kysely<Schema>,
    user: SignedInUser,
    email: string,
    deadline: number,
  ): Promise<object | OwnDeletionRefusal>;
}

interface AccountRoutesOptions {
  db: Kysely<Schema>;
  authenticate: Authenticate;
  wholeAccount: WholeAccount;
}

/** Copy and deletion go beyond the auth protocol (docs/product.md §6.17, §6.18). */
export function accountRoutes({ db, authenticate, wholeAccount }: AccountRoutesOptions): Hono<DeadlineEnv> {
  const app = new Hono<DeadlineEnv>();
  app.get("/user", async (c) => {
    const { id } = await authenticate(c.req.header("Authorization"));
    const user = await readUser(db, id);
    if (!user) throw sessionEnded;
    return c.json(user);
  });
  app.get("/user/export", async (c) => {
    const { id } = await authenticate(c.req.header("Authorization"));
    const data = await wholeAccount.copy(db, id);
    if (!data) throw sessionEnded;
    return c.json(data);
  });
  app.delete("/user", limitBody(), async (c) => {
    const user = await authenticate(c.req.header("Authorization"));
    const { data } = deletion.safeParse(await c.req.json().catch(() => null));
    if (!data?.email.isWellFormed() || data.email.includes("\0"))
      throw new HttpError(400, "validation_failed", "email: missing, or not a string.");
    const result = await wholeAccount.deleteOwn(db, user, data.email.trim(), c.get("writeDeadline"));
    if (typeof result === "string") throw refusals[result];
    return c.body(null, 204);
  });
  return app;
}
