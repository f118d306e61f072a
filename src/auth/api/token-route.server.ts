import { Hono } from "hono";
import type { Logger } from "pino";
import { z } from "zod";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../../database/schema.server.ts";
import { createRefusalLog, logSecurityEvent } from "../../database/security-log.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import { HttpError, invalidBody } from "../../http/requests/errors.server.ts";
import type { DeadlineEnv } from "../../http/requests/response-deadline.server.ts";
import type { Deadline } from "../../lib/bounded-wait.ts";
import { readUser } from "../store/read-user.server.ts";
import {
  endSession,
  findAccountEnd,
  findSession,
  insertSession,
  refreshSession,
  type Session,
} from "../store/sessions-table.server.ts";
import { linkSession, lockAttempt } from "../store/sign-ins-table.server.ts";
import type { AccessTokens, IssueAccessToken } from "../tokens/access-token.server.ts";
import { bearerToken } from "./authenticate.server.ts";

const pkceGrant = z.object({ auth_code: z.string(), code_verifier: z.string() });

export const refreshGrant = z.object({ refresh_token: z.string() });

export function tokenRoutes(db: Db, accessTokens: AccessTokens, log: Logger): Hono<DeadlineEnv> {
  const app = new Hono<DeadlineEnv>();
  const logRefusal = createRefusalLog(log);

  app.post("/token", limitBody(), async (c) => {
    const grant = grantTypes.get(c.req.query("grant_type") ?? "");
    if (!grant) throw new HttpError(400, "validation_failed", "grant_type must be pkce or refresh_token.");
    const body: unknown = await c.req.json().catch(() => {
      throw new HttpError(400, "bad_json", "The body must be JSON.");
    });
    return c.json(await grant(body, c.get("writeDeadline"), c.req.header("Authorization")));
  });

  const grantTypes = new Map([
    ["pkce", exchangeCode],
    ["refresh_token", refresh],
  ]);

  async function exchangeCode(body: unknown, deadline: Deadline) {
    const { auth_code, code_verifier } = parseBody(pkceGrant, body);
    const issue = await accessTokens.issuer();
    const redeem = async (trx: Trx) => {
      const attempt = await lockAttempt(trx, auth_code, code_verifier);
      if ("refused" in attempt) return attempt;
      const { id, userId, provider, isExchanged, isReused } = attempt;
      if (!isExchanged) {
        const session = await insertSession(trx, userId, provider);
        await linkSession(trx, id, session.id);
        const event = { event: "sign_in", user_id: userId, provider } as const;
        return { response: await tokenResponse(trx, issue, session), event };
      }
      // Exchanged before. Soon after, this repeats a lost response; later, the code counts as stolen.
      const session = await findSession(trx, attempt.sessionId);
      if (session && !isReused) return { response: await tokenResponse(trx, issue, session) };
      const over = { refused: "flow_state_not_found", userId, provider } as const;
      if (!session) return over;
      await endSession(trx, session.id);
      return { ...over, event: { event: "session_ended", user_id: userId, reason: "code_reused" } as const };
    };
    const redeemed = await transactionBefore(db, deadline, redeem);
    const event = "event" in redeemed ? redeemed.event : undefined;
    if (event) logSecurityEvent(log, event);
    if (!("refused" in redeemed)) return redeemed.response;
    const { refused, userId, provider } = redeemed;
    if (!event) logRefusal({ event: "sign_in_refused", user_id: userId, provider, reason: refused });
    const [status, message] = exchangeErrors[refused];
    throw new HttpError(status, refused, message);
  }

  async function refresh(body: unknown, deadline: Deadline, authorization?: string) {
    const { refresh_token } = parseBody(refreshGrant, body);
    const issue = await accessTokens.issuer();
    const rotate = async (trx: Trx) => {
      const session = await refreshSession(trx, refresh_token);
      return "refused" in session ? session : tokenResponse(trx, issue, session);
    };
    const refreshed = await transactionBefore(db, deadline, rotate);
    if (!("refused" in refreshed)) return refreshed;
    if (refreshed.userId !== undefined)
      logSecurityEvent(log, { event: "session_ended", user_id: refreshed.userId, reason: refreshed.refused });
    const code = (await findEndOf(authorization)) ?? refreshed.refused;
    throw new HttpError(400, code, refreshErrors[code]);
  }

  /** Bans and deletions delete the sessions. Only the access token still tells whose session it was. */
  async function findEndOf(authorization: string | undefined) {
    const token = bearerToken(authorization);
    const userId = token ? await accessTokens.findOwner(token) : null;
    return userId === null ? null : findAccountEnd(db, userId);
  }

  return app;
}

const exchangeErrors = {
  flow_state_not_found: [404, "This sign-in is not known, or was finished before."],
  bad_code_verifier: [400, "This sign-in was begun elsewhere."],
  flow_state_expired: [422, "This sign-in took too long. Please try again."],
} as const;

const refreshErrors = {
  refresh_token_not_found: "The session has ended.",
  refresh_token_already_used: "The refresh token was used before: the session has been ended for safety.",
  user_banned: "This account may not sign in here any more.",
  user_not_found: "This account was deleted.",
  session_expired: "The session has expired: it was unused for too long, or began too long ago.",
};

async function tokenResponse(trx: Trx, issue: IssueAccessToken, session: Session) {
  const user = await readUser(trx, session.user_id);
  if (!user) throw new HttpError(400, "refresh_token_not_found", refreshErrors.refresh_token_not_found);
  return { ...(await issue(user, session)), refresh_token: session.refreshToken, user };
}

function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidBody("validation_failed", parsed.error);
}
