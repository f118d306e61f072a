import { Hono } from "hono";
import type { Logger } from "pino";
import { z } from "zod";
import type { Authenticate } from "../auth/api/authenticate.server.ts";
import { readUser } from "../auth/store/read-user.server.ts";
import { countSessions } from "../auth/store/sessions-table.server.ts";
import type { Db } from "../database/schema.server.ts";
import { logSecurityEvent } from "../database/security-log.server.ts";
import { limitBody } from "../http/requests/body-limit.server.ts";
import { HttpError } from "../http/requests/errors.server.ts";
import type { DeadlineEnv } from "../http/requests/response-deadline.server.ts";
import { copyAccount } from "./copy-account.server.ts";
import { deleteOwnUser } from "./end-account.server.ts";

const deletion = z.object({ email: z.string() });

const sessionEnded = new HttpError(403, "session_not_found", "The session has ended.");

const refusals = {
  session_ended: sessionEnded,
  reauthentication_needed: new HttpError(403, "reauthentication_needed", "Please sign in again first."),
  wrong_email: new HttpError(400, "wrong_email", "This is not the e-mail of this account."),
};

/** Beyond the auth protocol: copy, deletion and the number of sessions (docs/product.md §6.17 to §6.19). */
export function accountRoutes(db: Db, authenticate: Authenticate, log: Logger): Hono<DeadlineEnv> {
  const app = new Hono<DeadlineEnv>();
  app.get("/user", async (c) => {
    const { id } = await authenticate(c.req.header("Authorization"));
    const user = await readUser(db, id);
    if (!user) throw sessionEnded;
    return c.json(user);
  });
  app.get("/user/export", async (c) => {
    const { id } = await authenticate(c.req.header("Authorization"));
    const data = await copyAccount(db, id);
    if (!data) throw sessionEnded;
    return c.json(data);
  });
  app.get("/user/sessions", async (c) => {
    const { id } = await authenticate(c.req.header("Authorization"));
    return c.json({ sessions: await countSessions(db, id) });
  });
  app.delete("/user", limitBody(), async (c) => {
    const user = await authenticate(c.req.header("Authorization"));
    const { data } = deletion.safeParse(await c.req.json().catch(() => null));
    if (!data?.email.isWellFormed() || data.email.includes("\0"))
      throw new HttpError(400, "validation_failed", "email: missing, or not a string.");
    const result = await deleteOwnUser(db, user, data.email.trim(), c.get("writeDeadline"));
    if ("refused" in result) {
      logSecurityEvent(log, { event: "account_deletion_refused", user_id: user.id, reason: result.refused });
      throw refusals[result.refused];
    }
    return c.body(null, 204);
  });
  return app;
}
