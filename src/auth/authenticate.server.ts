import type { MiddlewareHandler } from "hono";
import { HttpError } from "../http/errors.server.ts";
import type { AccessTokens } from "./access-token.server.ts";
import type { FindSignedIn, SignedInUser } from "./session.ts";

/**
 * Who sent a request, by its `Authorization` header: the access token is ours and good, and its session still exists.
 * @throws HttpError 401 `no_authorization`, 403 `bad_jwt` or `session_not_found`
 */
export type Authenticate = (authorization: string | undefined) => Promise<SignedInUser>;

export function createAuthenticate(tokens: AccessTokens, find: FindSignedIn): Authenticate {
  return async function authenticate(authorization) {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (!token) throw new HttpError(401, "no_authorization", "This needs an access token.");
    const named = await tokens.read(token);
    if (!named) throw new HttpError(403, "bad_jwt", "The access token is not valid, or not any more.");
    const user = await find(named);
    if (!user) throw new HttpError(403, "session_not_found", "The session has ended.");
    return user;
  };
}

/**
 * Lets only requests of signed-in users pass; `c.get("user")` tells who it is. Anybody else gets 401 `authentication_required`, and what finding
 * them throws besides is thrown on.
 */
export function requireUser(authenticate: Authenticate): MiddlewareHandler<{ Variables: { user: SignedInUser } }> {
  return async function checkUser(c, next) {
    c.set("user", await authenticate(c.req.header("Authorization")).catch(requireSignIn));
    await next();
  };
}

/** Whoever is found and refused for another reason, too many writes for instance, is told that. */
const NOT_SIGNED_IN = new Set([401, 403]);

function requireSignIn(error: unknown): never {
  if (!(error instanceof HttpError) || !NOT_SIGNED_IN.has(error.status)) throw error;
  throw new HttpError(401, "authentication_required", "Please sign in.");
}
