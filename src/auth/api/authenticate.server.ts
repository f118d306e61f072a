import type { MiddlewareHandler } from "hono";
import type { Kysely } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import type { SignedInUser } from "../session.ts";
import { findSessionUser } from "../store/sessions-table.server.ts";
import type { AccessTokens } from "../tokens/access-token.server.ts";

/**
 * Who sent a request, by its `Authorization` header: the access token is ours and good, and its session still exists.
 * @throws HttpError 401 `no_authorization`, 403 `bad_jwt` or `session_not_found`
 */
export type Authenticate = (authorization: string | undefined) => Promise<SignedInUser>;

export function createAuthenticate(db: Kysely<Schema>, tokens: AccessTokens): Authenticate {
  return async function authenticate(authorization) {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (!token) throw new HttpError(401, "no_authorization", "This needs an access token.");
    const named = await tokens.read(token);
    if (!named) throw new HttpError(403, "bad_jwt", "The access token is not valid, or not any more.");
    const user = await findSessionUser(db, named);
    if (!user) throw new HttpError(403, "session_not_found", "The session has ended.");
    return user;
  };
}

/**
 * Lets only requests of signed-in users pass; `c.get("user")` tells who it is.
 * @throws HttpError 401 `authentication_required`
 */
export function requireUser(authenticate: Authenticate): MiddlewareHandler<{ Variables: { user: SignedInUser } }> {
  return async function checkUser(c, next) {
    c.set("user", await authenticate(c.req.header("Authorization")).catch(requireSignIn));
    await next();
  };
}

function requireSignIn(error: unknown): never {
  if (!(error instanceof HttpError)) throw error;
  throw new HttpError(401, "authentication_required", "Please sign in.");
}
