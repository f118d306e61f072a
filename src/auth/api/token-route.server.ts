import { Hono } from "hono";
import type { Logger } from "pino";
import { z } from "zod";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../../database/schema.server.ts";
import { createRefusalLog, logSecurityEvent } from "../../database/security-log.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
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
import { attemptOver, linkSession, lockAttempt } from "../store/sign-ins-table.server.ts";
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
      const { id, userId: user_id, provider, sessionId, isReused } = attempt;
      if (sessionId === null) {
        const session = await insertSession(trx, user_id, provider);
        await linkSession(trx, id, session.id);
        const event = { event: "sign_in", user_id, provider } as const;
        return { response: await tokenResponse(trx, issue, session), event };
      }
      const session = await findSession(trx, sessionId);
      if (!session) return attemptOver;
      if (!isReused) return { response: await tokenResponse(trx, issue, session) };
      await endSession(trx, sessionId);
      const event = { event: "session_ended", user_id, reason: "code_reused" } as const;
      return { ...attemptOver, event };
    };
    const redeemed = await transactionBefore(db, deadline, redeem);
    const event = "event" in redeemed ? redeemed.event : undefined;
    if (event) logSecurityEvent(log, event);
    if (!("refused" in redeemed)) return redeemed.response;
    const { refused, userId: user_id, provider } = redeemed;
    if (!event) logRefusal({ event: "sign_in_refused", user_id, provider, reason: refused });
    throw exchangeErrors[refused];
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
  flow_state_not_found: new HttpError(
    404,
    "flow_state_not_found",
    "This sign-in is not known, or was finished before.",
  ),
  bad_code_verifier: new HttpError(400, "bad_code_verifier", "This sign-in was begun elsewhere."),
  flow_state_expired: new HttpError(
    422,
    "flow_state_expired",
    "This sign-in took too long. Please try again.",
  ),
};

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
  const names = new Set(parsed.error.issues.map(({ path }) => path.join(".") || "The body"));
  throw new HttpError(400, "validation_failed", `${[...names].join(", ")}: missing, or not a string.`);
}
