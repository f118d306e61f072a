import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Kysely } from "kysely";
import type { Logger } from "pino";
import { z } from "zod";
import type { Schema } from "../../database/schema.server.ts";
import type { CountRequest } from "../../http/clients/rate-limit.server.ts";
import { allowMethods } from "../../http/requests/allow-methods.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import { withTimeout } from "../../lib/timeout.server.ts";
import { type IdentityProvider, PROVIDER_TIMEOUT } from "../providers/provider.server.ts";
import { type Provider, providerNames, providers } from "../session.ts";
import { claimFlow, completeFlow, deleteFlow, type Flow, insertFlow, randomToken } from "../store/flows-table.server.ts";
import {
  BannedUserError,
  type VerifiedIdentity,
  linkIdentity,
  UnverifiedEmailError,
} from "../store/link-identity.server.ts";
import { allowedRedirect, type ReturnedError, withCode, withError } from "./redirect-target.server.ts";

export type IdentityProviders = Partial<Record<Provider, IdentityProvider>>;

interface SignInOptions {
  db: Kysely<Schema>;
  origin: string;
  redirectOrigins: readonly string[];
  redirectUrls: readonly string[];
  identityProviders: IdentityProviders;
  recordSignIn: RecordSignIn;
  countRequest: CountRequest;
  log: Logger;
}

/** Told of each sign-in that is `started`, and of how it ends: `succeeded`, `refused` there, or one of our own error codes. */
export type RecordSignIn = (provider: Provider | null, outcome: string) => void;

/** How long the database may take for one step of a sign-in, in ms. */
const DATABASE_TIMEOUT = 10_000;

const signInRequest = z.object({
  provider: z.enum(providers, { error: "Unsupported provider: none of that name" }),
  code_challenge: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{43,128}$/, { error: "code_challenge must be 43 to 128 characters" }),
  code_challenge_method: z.string().regex(/^s256$/i, { error: "code_challenge_method must be s256" }),
});

/** The two navigations of a sign-in: `/authorize` leads to the provider, `/callback` is where the provider sends the browser back. */
export function signInRoutes(options: SignInOptions) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  // Who only asks how long an answer is must not use up a state.
  const noHead = allowMethods("GET");

  app.get("/authorize", noHead, async (c) => {
    const wait = await options.countRequest(c.env.incoming);
    const params = new URL(c.req.url).searchParams;
    const { provider, challenge, identityProvider } = readSignInRequest(params, options.identityProviders);
    const redirectTo = allowedRedirect(params.get("redirect_to"), options);
    if (wait > 0) return c.redirect(withError(redirectTo, tooMany), 302);
    const [state, nonce, providerVerifier] = [randomToken(), randomToken(), randomToken()];
    const flow: Flow = { state, provider, challenge, redirectTo, nonce, providerVerifier };
    try {
      const url = await withTimeout(PROVIDER_TIMEOUT, identityProvider.authorizationUrl(flow, readWishes(params)));
      await withTimeout(DATABASE_TIMEOUT, insertFlow(options.db, flow));
      options.recordSignIn(provider, "started");
      return c.redirect(url.href, 302);
    } catch (error) {
      return c.redirect(withError(redirectTo, explain(error, provider, options)), 302);
    }
  });

  app.get("/callback", noHead, async (c) => {
    if ((await options.countRequest(c.env.incoming)) > 0)
      return c.redirect(withError(`${options.origin}/`, tooMany), 303);
    const returned = new URL(c.req.url).searchParams;
    try {
      const flow = await withTimeout(DATABASE_TIMEOUT, claimFlow(options.db, returned.get("state") ?? ""));
      if (!flow) {
        options.recordSignIn(null, badState.error_code);
        return c.redirect(withError(`${options.origin}/`, badState), 303);
      }
      return c.redirect(await finish(flow, returned, options), 302);
    } catch (error) {
      return c.redirect(withError(`${options.origin}/`, explain(error, null, options)), 303);
    }
  });

  return app;
}

/** @throws HttpError 400 `validation_failed` */
function readSignInRequest(params: URLSearchParams, identityProviders: IdentityProviders) {
  const named = ["provider", "code_challenge", "code_challenge_method"];
  const parsed = signInRequest.safeParse(Object.fromEntries(named.map((name) => [name, params.get(name) ?? ""])));
  if (!parsed.success)
    throw new HttpError(400, "validation_failed", parsed.error.issues.map((i) => i.message).join("; "));
  const { provider, code_challenge: challenge } = parsed.data;
  const identityProvider = identityProviders[provider];
  if (!identityProvider)
    throw new HttpError(400, "validation_failed", `Unsupported provider: ${provider} is not set up`);
  return { provider, challenge, identityProvider };
}

/** What a visitor may tell the provider; everything else in the address is ours or nothing. */
function readWishes(params: URLSearchParams): Record<string, string> {
  const wishes: Record<string, string> = {};
  const prompt = params.get("prompt");
  const hint = params.get("login_hint");
  if (prompt && /^[a-z_ ]{1,50}$/.test(prompt)) wishes.prompt = prompt;
  if (hint && /^[^\p{Cc}]{1,320}$/u.test(hint)) wishes.login_hint = hint;
  return wishes;
}

/** Finishes a sign-in that came back; answers where it leads. Nothing is stored unless all of it succeeded. */
async function finish(flow: Flow, returned: URLSearchParams, options: SignInOptions): Promise<string> {
  try {
    const refused = readRefusal(returned);
    if (refused) {
      options.recordSignIn(flow.provider, "refused");
      return withError(flow.redirectTo, await giveUp(flow, refused, options));
    }
    const provider = options.identityProviders[flow.provider];
    if (!provider) throw new Error(`${flow.provider} is not set up any more`);
    const identity = await withTimeout(PROVIDER_TIMEOUT, provider.identify(returned, flow));
    const code = await withTimeout(DATABASE_TIMEOUT, complete(flow, identity, options));
    options.recordSignIn(flow.provider, "succeeded");
    return withCode(flow.redirectTo, code);
  } catch (error) {
    return withError(flow.redirectTo, await giveUp(flow, explain(error, flow.provider, options), options));
  }
}

function complete(flow: Flow, identity: VerifiedIdentity, { db }: SignInOptions): Promise<string> {
  return linkIdentity(db, identity, (trx, userId) => completeFlow(trx, flow.state, userId));
}

/** The flow is of no more use; where it cannot be removed now, it expires. */
async function giveUp<T>(flow: Flow, error: T, { db }: SignInOptions): Promise<T> {
  await withTimeout(DATABASE_TIMEOUT, deleteFlow(db, flow.state)).catch(() => {});
  return error;
}

const tooMany: ReturnedError = {
  error: "temporarily_unavailable",
  error_code: "over_request_rate_limit",
  error_description: "Too many people are signing in from your network just now. Please try again in a minute.",
};

const badState: ReturnedError = {
  error: "invalid_request",
  error_code: "bad_oauth_state",
  error_description: "This sign-in is not known any more: it took too long, or was finished before. Please try again.",
};

/** What the provider itself says instead of vouching for somebody: denied consent, most often. Passed on as plain text. */
function readRefusal(returned: URLSearchParams): ReturnedError | null {
  const error = plain(returned.get("error"));
  if (!error) return null;
  return { error, error_code: error, error_description: plain(returned.get("error_description")) || error };
}

function plain(text: string | null): string {
  return (text ?? "")
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 300);
}

/** What to tell the visitor. It is counted, and the log learns the reason of what should not happen, which holds no secret. */
function explain(error: unknown, provider: Provider | null, { log, recordSignIn }: SignInOptions): ReturnedError {
  const told = whatToTell(error, provider);
  recordSignIn(provider, told.error_code);
  if (told.error === "server_error") log.warn({ provider, reason: reasonOf(error) }, "A sign-in failed");
  return told;
}

function whatToTell(error: unknown, provider: Provider | null): ReturnedError {
  const name = provider ? providerNames[provider] : "your provider";
  if (error instanceof UnverifiedEmailError) {
    return {
      error: "access_denied",
      error_code: "provider_email_needs_verification",
      error_description: `${name} has not verified your e-mail address. Verify it there, then sign in again.`,
    };
  }
  if (error instanceof BannedUserError) {
    return {
      error: "access_denied",
      error_code: "user_banned",
      error_description: "This account may not sign in here any more.",
    };
  }
  return {
    error: "server_error",
    error_code: "unexpected_failure",
    error_description: `Signing in with ${name} does not work just now. Please try again in a moment.`,
  };
}

/** An error's name, code and message, and the code of an error behind it: never what came over the wire, which a cause can be as well. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return [error.name, codeOf(error), error.message, codeOf(error.cause)].filter(Boolean).join(": ");
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
