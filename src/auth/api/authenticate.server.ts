import type { MiddlewareHandler } from "hono";
import type { Db } from "../../database/schema.server.ts";
import type { SignedInUser } from "../../domain/account.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import { findSessionUser } from "../store/sessions-table.server.ts";
import type { AccessTokens } from "../tokens/access-token.server.ts";

/**
 * At each call, because sign-out, ban and deletion hold at once (docs/product.md §6.14).
 * @throws HttpError 401 `no_authorization`, 403 `bad_jwt` or `session_not_found`
 */
export type Authenticate = (authorization: string | undefined) => Promise<SignedInUser>;

export function createAuthenticate(db: Db, tokens: AccessTokens): Authenticate {
  return async function authenticate(authorization) {
    const token = bearerToken(authorization);
    if (!token) throw new HttpError(401, "no_authorization", "An access token is required.");
    const claims = await tokens.verify(token);
    if (!claims) throw new HttpError(403, "bad_jwt", "The access token is invalid or expired.");
    const user = await findSessionUser(db, claims);
    if (!user) throw new HttpError(403, "session_not_found", "The session has ended.");
    return user;
  };
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

/** Sets `c.get("user")`. @throws HttpError 401 `authentication_required` */
export function requireUser(
  authenticate: Authenticate,
): MiddlewareHandler<{ Variables: { user: SignedInUser } }> {
  return async function checkUser(c, next) {
    c.set("user", await authenticate(c.req.header("Authorization")).catch(requireSignIn));
    await next();
  };
}

function requireSignIn(error: unknown): never {
  if (!(error instanceof HttpError)) throw error;
  throw new HttpError(401, "authentication_required", "Please sign in.");
}
