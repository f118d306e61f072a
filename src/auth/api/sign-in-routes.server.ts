import { setTimeout } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { z } from "zod";
import { describeOutage } from "../../database/errors.server.ts";
import type { Db } from "../../database/schema.server.ts";
import { createRefusalLog, logSecurityEvent } from "../../database/security-log.server.ts";
import { MAX_AUTHENTICATION_AGE, type Provider, providerNames, providers } from "../../domain/account.ts";
import type { CountRequest } from "../../http/clients/rate-limit.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import { TimeoutError, withTimeout } from "../../lib/bounded-wait.ts";
import { codeOf } from "../../lib/error-message.ts";
import { signInUnavailable, tooManySignIns } from "../failure-messages.ts";
import { type IdentityProvider, PROVIDER_TIMEOUT } from "../providers/provider.server.ts";
import { linkIdentity } from "../store/link-identity.server.ts";
import {
  claimAttempt,
  completeAttempt,
  deriveCode,
  failAttempt,
  findCallback,
  randomToken,
} from "../store/sign-ins-table.server.ts";
import type { SignInAttempt, SignInAttempts } from "../tokens/sign-in-attempt.server.ts";
import {
  allowedRedirect,
  type RedirectRules,
  type ReturnedError,
  withCode,
  withError,
  withoutAttemptId,
} from "./redirect-target.server.ts";

export type IdentityProviders = Record<Provider, IdentityProvider | null>;

export interface SignInOptions extends RedirectRules {
  db: Db;
  identityProviders: IdentityProviders;
  attempts: SignInAttempts;
  recordSignIn: RecordSignIn;
  countSignIn: CountRequest;
  log: Logger;
}

/** An outcome is `started`, `succeeded`, `refused` (by the user or the provider) or an error code. */
type RecordSignIn = (provider: Provider | null, outcome: string) => void;

const DATABASE_TIMEOUT_MS = 10_000;

const RESULT_POLL_MS = 200;

const signInRequest = z.object({
  provider: z.enum(providers, { error: "Unsupported provider: none of that name" }),
  code_challenge: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{43,128}$/, { error: "code_challenge must be 43 to 128 characters" }),
  code_challenge_method: z.string().regex(/^s256$/i, { error: "code_challenge_method must be s256" }),
});

export function signInRoutes(options: SignInOptions) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const logRefusal = createRefusalLog(options.log);

  app.get("/authorize", refusePrefetch, async (c) => {
    const wait = options.countSignIn(c.env.incoming);
    const params = new URL(c.req.url).searchParams;
    const { provider, challenge, identityProvider } = readSignInRequest(params, options.identityProviders);
    const redirectTo = allowedRedirect(params.get("redirect_to"), options);
    if (wait > 0) return c.redirect(withError(redirectTo, tooManyRequests), 302);
    const [id, nonce, providerVerifier] = [randomToken(), randomToken(), randomToken()];
    const maxAge = readMaxAge(params);
    const attempt: SignInAttempt = { id, provider, challenge, redirectTo, nonce, providerVerifier, maxAge };
    try {
      const state = await fromDatabase(options.attempts.seal(attempt));
      const address = identityProvider.authorizationUrl({ ...attempt, state }, readExtraParams(params));
      const url = await withTimeout(PROVIDER_TIMEOUT, address);
      options.recordSignIn(provider, "started");
      return c.redirect(url.href, 302);
    } catch (error) {
      return c.redirect(withError(redirectTo, reportError(error, provider, options)), 302);
    }
  });

  app.get("/callback", refusePrefetch, async (c) => {
    if (options.countSignIn(c.env.incoming) > 0)
      return c.redirect(withError(`${options.origin}/`, tooManyRequests), 303);
    const callbackParams = new URL(c.req.url).searchParams;
    try {
      const attempt = await fromDatabase(options.attempts.open(callbackParams.get("state") ?? ""));
      const location = attempt && (await answerCallback(attempt, callbackParams, options));
      if (location !== null) return c.redirect(location, 302);
      const reason = badState.error_code;
      options.recordSignIn(null, reason);
      logRefusal({ event: "sign_in_refused", user_id: null, provider: attempt?.provider ?? null, reason });
      return c.redirect(withError(`${options.origin}/`, badState), 303);
    } catch (error) {
      return c.redirect(withError(`${options.origin}/`, reportError(error, null, options)), 303);
    }
  });

  return app;
}

const purposeHeaders = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"];

/** A prefetch must neither start nor finish an attempt. A click on the link sends the request again. */
const refusePrefetch: MiddlewareHandler = async function refusePrefetch(c, next) {
  if (
    purposeHeaders.some((name) => /\b(prefetch|prerender|preview|instant)\b/i.test(c.req.header(name) ?? ""))
  )
    throw new HttpError(403, "prefetch_refused", "A step of signing in cannot be fetched in advance.");
  await next();
};

function readSignInRequest(params: URLSearchParams, identityProviders: IdentityProviders) {
  const names = ["provider", "code_challenge", "code_challenge_method"];
  const parsed = signInRequest.safeParse(
    Object.fromEntries(names.map((name) => [name, params.get(name) ?? ""])),
  );
  if (!parsed.success)
    throw new HttpError(400, "validation_failed", parsed.error.issues.map((i) => i.message).join("; "));
  const { provider, code_challenge: challenge } = parsed.data;
  const identityProvider = identityProviders[provider];
  if (!identityProvider)
    throw new HttpError(400, "validation_failed", `Unsupported provider: ${provider} is not set up`);
  return { provider, challenge, identityProvider };
}

const extraParameters = new Map([
  ["prompt", /^[a-z_ ]{1,50}$/],
  ["login_hint", /^[^\p{Cc}]{1,320}$/u],
]);

function readExtraParams(params: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...params].filter(([name, value]) => extraParameters.get(name)?.test(value)));
}

/** Requested before the deletion of an account (docs/product.md §6.18). */
function readMaxAge(params: URLSearchParams): number | undefined {
  const seconds = params.get("max_age") ?? "";
  return /^\d{1,3}$/.test(seconds) && Number(seconds) <= MAX_AUTHENTICATION_AGE ? Number(seconds) : undefined;
}

/** Returns the redirect URL; null if the state was used before, long ago or with other parameters. */
async function answerCallback(
  attempt: SignInAttempt,
  callbackParams: URLSearchParams,
  options: SignInOptions,
): Promise<string | null> {
  const { db } = options;
  const { id, provider, redirectTo } = attempt;
  const fail = (error: unknown) => reportError(error, provider, options);
  try {
    const isFirst = await fromDatabase(claimAttempt(db, attempt, callbackParams));
    if (!isFirst) return await repeatResult(attempt, callbackParams, options);
  } catch (error) {
    return withError(redirectTo, fail(error));
  }
  const result = await completeSignIn(attempt, callbackParams, options).catch(fail);
  if ("code" in result) return withCode(redirectTo, result.code);
  const location = withError(redirectTo, result);
  // Only the URL is stored, for a repeated callback.
  await fromDatabase(failAttempt(db, id, location)).catch(() => {});
  return location;
}

async function completeSignIn(
  attempt: SignInAttempt,
  callbackParams: URLSearchParams,
  options: SignInOptions,
): Promise<{ code: string } | ReturnedError> {
  const { id, provider, redirectTo } = attempt;
  const { db, log, identityProviders, recordSignIn } = options;
  const denied = readRefusal(callbackParams);
  if (denied) {
    recordSignIn(provider, "refused");
    logSecurityEvent(log, {
      event: "sign_in_refused",
      user_id: null,
      provider,
      reason: "refused_at_provider",
    });
    return denied;
  }
  const identityProvider = identityProviders[provider];
  if (!identityProvider) throw new Error(`${provider} is no longer set up`);
  const state = callbackParams.get("state") ?? "";
  const identified = identityProvider.identify(callbackParams, { ...attempt, state });
  const provided = await withTimeout(PROVIDER_TIMEOUT, identified);
  if ("refused" in provided) return reportRefusal(provided.refused, null, provider, options);
  const { authenticatedAgo, ...identity } = provided;
  const code = deriveCode(attempt, callbackParams);
  const location = withoutAttemptId(redirectTo);
  const complete = linkIdentity(db, identity, (trx, userId) =>
    completeAttempt(trx, id, { userId, code, location, authenticatedAgo }),
  );
  const linked = await fromDatabase(complete);
  if ("refused" in linked) return reportRefusal(linked.refused, linked.userId, provider, options);
  recordSignIn(provider, "succeeded");
  return { code };
}

/** Waits while the first callback is handled. Null if none came within the last minute. */
async function repeatResult(attempt: SignInAttempt, callbackParams: URLSearchParams, { db }: SignInOptions) {
  const deadline = performance.now() + PROVIDER_TIMEOUT + DATABASE_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const found = await fromDatabase(findCallback(db, attempt, callbackParams));
    if (found?.hasCode) return withCode(attempt.redirectTo, deriveCode(attempt, callbackParams));
    if (found?.location !== null) return found?.location ?? null;
    await setTimeout(RESULT_POLL_MS);
  }
  return null;
}

class DatabaseUnavailableError extends Error {
  override name = "DatabaseUnavailableError";
}

async function fromDatabase<T>(work: Promise<T>): Promise<T> {
  try {
    return await withTimeout(DATABASE_TIMEOUT_MS, work);
  } catch (error) {
    const outage = error instanceof TimeoutError ? error.message : describeOutage(error);
    throw outage === null ? error : new DatabaseUnavailableError(outage, { cause: error });
  }
}

const tooManyRequests: ReturnedError = {
  error: "temporarily_unavailable",
  error_code: "over_request_rate_limit",
  error_description: tooManySignIns,
};

/** The state has expired or was used: the two cannot be told apart once the row is deleted. */
const badState: ReturnedError = {
  error: "invalid_request",
  error_code: "bad_oauth_state",
  error_description: "Signing in took too long. Please press the button again.",
};

/** The provider's own error, usually denied consent, as plain text (docs/product.md §6.4). */
function readRefusal(callbackParams: URLSearchParams): ReturnedError | null {
  const error = toLine(callbackParams.get("error"));
  if (!error) return null;
  const text = toLine(callbackParams.get("error_description"));
  const isMessage = text !== "" && text !== error && !isCode(text);
  return { error, error_code: error, ...(isMessage && { error_description: text }) };
}

/** Codes such as `access_denied` mean nothing to a visitor. */
function isCode(text: string): boolean {
  return /^[\w.:-]+$/.test(text) && /[\d_:-]/.test(text);
}

function toLine(text: string | null): string {
  return (text ?? "")
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 300);
}

function reportRefusal(
  code: keyof typeof refusals,
  user_id: string | null,
  provider: Provider,
  { log, recordSignIn }: SignInOptions,
): ReturnedError {
  recordSignIn(provider, code);
  logSecurityEvent(log, { event: "sign_in_refused", user_id, provider, reason: code });
  const error_description = refusals[code](providerNames[provider]);
  return { error: "access_denied", error_code: code, error_description };
}

/** Logs the reason of an unexpected error, without secrets. */
function reportError(error: unknown, provider: Provider | null, { log, recordSignIn }: SignInOptions) {
  const name = provider ? providerNames[provider] : "your provider";
  const error_code = error instanceof DatabaseUnavailableError ? "unavailable" : "unexpected_failure";
  recordSignIn(provider, error_code);
  log.warn({ provider, reason: reasonOf(error) }, "A sign-in failed");
  return { error: "server_error", error_code, error_description: signInUnavailable(name) };
}

const refusals = {
  user_banned: (_: string) => "This account may not sign in here any more.",
  provider_email_needs_verification: (name: string) =>
    `${name} has not verified your e-mail address. Verify it there, then sign in again.`,
  reauthentication_needed: (name: string) =>
    `${name} did not ask you to sign in again. Sign out of ${name} in this browser, then try again.`,
};

/** Logs only the code of the cause: its message may be the provider's response. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return [error.name, codeOf(error), error.message, codeOf(error.cause)].filter(Boolean).join(": ");
}
