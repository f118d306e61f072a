import { type Context, Hono } from "hono";
import type { Logger } from "pino";
import { buildInfo } from "../../config/build-info.server.ts";
import type { SignInConfig } from "../../config/environment.server.ts";
import { describeOutage } from "../../database/errors.server.ts";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../../database/schema.server.ts";
import { logSecurityEvent } from "../../database/security-log.server.ts";
import { tooManyRequests } from "../../http/clients/rate-limit.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import { HttpError, handleErrors, unavailable } from "../../http/requests/errors.server.ts";
import { type DeadlineEnv, responseDeadline } from "../../http/requests/response-deadline.server.ts";
import { createGithub } from "../providers/github.server.ts";
import { createGoogle } from "../providers/google.server.ts";
import { endSessionOf, endSessions, signOutScopes } from "../store/sessions-table.server.ts";
import { createAccessTokens } from "../tokens/access-token.server.ts";
import { createSignInAttempts } from "../tokens/sign-in-attempt.server.ts";
import type { SigningKeys } from "../tokens/signing-keys.server.ts";
import { type Authenticate, createAuthenticate } from "./authenticate.server.ts";
import { type IdentityProviders, type SignInOptions, signInRoutes } from "./sign-in-routes.server.ts";
import { refreshGrant, tokenRoutes } from "./token-route.server.ts";

interface AuthApiOptions extends Omit<SignInOptions, "identityProviders" | "attempts"> {
  signingKeys: SigningKeys;
  signIn: SignInConfig;
  accountRoutes(db: Db, authenticate: Authenticate, log: Logger): Hono<DeadlineEnv>;
}

/** In seconds. A key signs only after it has been published for longer. */
const KEYS_MAX_AGE = 600;

/** The part of the GoTrue protocol that auth-js needs (docs/product.md §6.7). */
export function createAuthApi(options: AuthApiOptions) {
  const { db, signingKeys, log } = options;
  const issuer = `${options.origin}/auth/v1`;
  const accessTokens = createAccessTokens(signingKeys, issuer);
  const authenticate = createAuthenticate(db, accessTokens);
  const { google, github } = options.signIn;
  const identityProviders: IdentityProviders = {
    google: google && createGoogle(google, `${issuer}/callback`, log),
    github: github && createGithub(github, `${issuer}/callback`),
  };
  const app = new Hono<DeadlineEnv>();
  // Unforeseen errors get 503: after any error that is not retryable, auth-js ends the session.
  app.onError(handleErrors(log, { outageReason: describeOutage, send: sendAuthError }));

  app.get("/.well-known/jwks.json", responseDeadline(), async (c) => {
    return c.json(await signingKeys.published(), 200, { "Cache-Control": `public, max-age=${KEYS_MAX_AGE}` });
  });
  app.use(async function noStore(c, next) {
    c.header("Cache-Control", "no-store");
    await next();
  });
  app.get("/health", (c) =>
    c.json({ version: buildInfo.version, name: "Front Row", description: "Sign-in" }),
  );
  const attempts = createSignInAttempts(signingKeys);
  app.route("/", signInRoutes({ ...options, identityProviders, attempts }));

  app.use(responseDeadline());
  app.get("/settings", (c) =>
    c.json({
      external: { google: Boolean(google), github: Boolean(github), email: false, phone: false },
      disable_signup: false,
      mailer_autoconfirm: false,
      phone_autoconfirm: false,
    }),
  );
  app.route("/", tokenRoutes(db, accessTokens, log));
  app.route("/", options.accountRoutes(db, authenticate, log));
  app.post("/logout", limitBody(), async (c) => {
    const scope = signOutScopes.find((name) => name === (c.req.query("scope") ?? "global"));
    if (!scope) throw new HttpError(400, "validation_failed", `scope must be ${signOutScopes.join(", ")}.`);
    const { data } = refreshGrant.safeParse(await c.req.json().catch(() => null));
    if (data) {
      // Not in the protocol: ends the earlier session of a browser that signed in again (docs/product.md
      // §6.11).
      const end = (trx: Trx) => endSessionOf(trx, data.refresh_token);
      const user_id = await transactionBefore(db, c.get("writeDeadline"), end);
      if (user_id) logSecurityEvent(log, { event: "session_ended", user_id, reason: "signed_in_again" });
      return c.body(null, 204);
    }
    const user = await authenticate(c.req.header("Authorization"));
    await endSessions(db, user, scope, c.get("writeDeadline"));
    logSecurityEvent(log, { event: "session_ended", user_id: user.id, reason: "sign_out", scope });
    return c.body(null, 204);
  });
  return { routes: app, authenticate };
}

/** A refresh gets 503: after 429 auth-js would end the session (docs/product.md §6.12). */
export function rateLimitError(retryAfter: number, c: Context): HttpError {
  const { status, code, message } =
    c.req.query("grant_type") === "refresh_token" ? unavailable : tooManyRequests(retryAfter);
  return new HttpError(status, code, message, retryAfter);
}

const VERSION_HEADER = "X-Supabase-Api-Version";

/** The first protocol version in which an error's `code` is text. */
const TEXT_CODES_SINCE = "2024-01-01";

/** Uses the format of the requested protocol version; without a version, the older format. */
export function sendAuthError(c: Context, { status, code, message, retryAfter }: HttpError): Response {
  const version = c.req.header(VERSION_HEADER) ?? "";
  const hasTextCode = /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= TEXT_CODES_SINCE;
  c.header("Cache-Control", "no-store");
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  if (!hasTextCode) return c.json({ code: status, error_code: code, msg: message }, status);
  c.header(VERSION_HEADER, version);
  return c.json({ code, message }, status);
}
