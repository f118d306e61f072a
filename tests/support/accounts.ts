import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import {
  type FakeIdentityProviders,
  startFakeIdentityProviders,
} from "../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import { createSignInAttempts, type SignInAttempt } from "../../src/auth/tokens/sign-in-attempt.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import type { Db } from "../../src/database/schema.server.ts";
import type { Provider } from "../../src/domain/account.ts";
import { type ProviderChoice, signInAtProvider } from "./provider-sign-in.ts";
import { openSite, type Site, startSite } from "./site.ts";

/** A server with its fake providers. `variables` are for another instance. */
export interface AccountsSite<Server extends Site = Site> extends FakeIdentityProviders {
  site: Server;
}

export const openAccountsSite = (variables: Record<string, string>) => withProviders(openSite, variables);
export const startAccountsSite = (variables: Record<string, string>) => withProviders(startSite, variables);

async function withProviders<Server extends Site>(
  open: (variables: Record<string, string>) => Promise<Server>,
  more: Record<string, string>,
): Promise<AccountsSite<Server>> {
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const fakeProviders = await startFakeIdentityProviders(origin);
  // Its libraries load at the first request. On a busy machine the site would not wait for them.
  await fetch(`${fakeProviders.google.issuer}/.well-known/openid-configuration`);
  const variables = { ORIGIN: origin, ...fakeProviders.variables, ...more };
  const site = await open({ PORT: port, ...variables });
  return {
    ...fakeProviders,
    site,
    variables,
    async close() {
      await site.stop();
      await fakeProviders.close();
    },
  };
}

const sessionResponse = z.strictObject({
  access_token: z.jwt(),
  token_type: z.literal("bearer"),
  expires_in: z.literal(3600),
  expires_at: z.int(),
  refresh_token: z.string(),
  user: z.looseObject({ id: z.uuid(), email: z.string() }),
});

export async function readSession(response: Response): Promise<SessionResponse> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`No session but ${response.status}: ${text}`);
  return sessionResponse.parse(JSON.parse(text));
}

export type SessionResponse = z.infer<typeof sessionResponse>;

/** Starts a sign-in attempt like auth-js. The PKCE verifier stays in the browser. */
export function startSignIn(origin: string, provider: string, more: Record<string, string> = {}) {
  const verifier = randomBytes(56).toString("hex");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const params = { provider, code_challenge: challenge, code_challenge_method: "s256", ...more };
  return { url: `${origin}/auth/v1/authorize?${new URLSearchParams(params)}`, verifier };
}

export function fetchWithoutRedirect(url: string): Promise<Response> {
  return fetch(url, { redirect: "manual" });
}

export async function redirectTarget(url: string): Promise<URL> {
  const response = await fetchWithoutRedirect(url);
  return new URL(response.headers.get("location") ?? "", url);
}

export async function returnedCode(callback: string): Promise<string> {
  const { search, searchParams } = await redirectTarget(callback);
  return searchParams.get("code") ?? Promise.reject(new Error(`The sign-in failed: ${search}`));
}

/** Returns the verifier and the URL of the OAuth callback, which is not requested yet. */
export async function signInUpToCallback(
  origin: string,
  provider: Provider,
  choice: ProviderChoice,
  more = {},
) {
  const { url, verifier } = startSignIn(origin, provider, more);
  const atProvider = await redirectTarget(url);
  return { callback: await signInAtProvider(atProvider.href, choice), verifier };
}

export async function openState(db: Db, url: string): Promise<SignInAttempt> {
  const state = new URL(url).searchParams.get("state") ?? "";
  const attempt = await createSignInAttempts(createSigningKeys(db)).open(state);
  if (!attempt) throw new Error(`The state is not one of this site: ${state}`);
  return attempt;
}

export async function withOlderState(db: Db, url: string, seconds: number): Promise<string> {
  const attempts = createSignInAttempts(createSigningKeys(db), () => Date.now() - seconds * 1000);
  const older = new URL(url);
  older.searchParams.set("state", await attempts.seal(await openState(db, url)));
  return older.href;
}

export const bearer = ({ access_token }: Pick<SessionResponse, "access_token">) => ({
  Authorization: `Bearer ${access_token}`,
});

export const authHeaders = {
  apikey: "front-row-public",
  "X-Supabase-Api-Version": "2024-01-01",
  "Content-Type": "application/json;charset=UTF-8",
};

/** Calls the auth API like auth-js: with the client key and the protocol's version, in JSON. */
export function callAuth(origin: string, path: string, { token, body, headers }: AuthCall = {}) {
  return fetch(`${origin}/auth/v1${path}`, {
    method: body === undefined && !path.startsWith("/logout") ? "GET" : "POST",
    headers: { ...authHeaders, ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

export async function statusAndCode(response: Response): Promise<[status: number, code: string]> {
  return [response.status, (await response.json()).code];
}

interface AuthCall {
  token?: string;
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export function exchangeCode(origin: string, auth_code: string, code_verifier: string): Promise<Response> {
  return callAuth(origin, "/token?grant_type=pkce", { body: { auth_code, code_verifier } });
}

export function refreshTokens(origin: string, refresh_token: string): Promise<Response> {
  return callAuth(origin, "/token?grant_type=refresh_token", { body: { refresh_token } });
}

/** The callback has been requested, and the code was not exchanged yet. */
export async function signInUpToCode(origin: string, provider: Provider, choice: ProviderChoice, more = {}) {
  const { callback, verifier } = await signInUpToCallback(origin, provider, choice, more);
  return { callback, code: await returnedCode(callback), verifier };
}

export async function signIn(origin: string, provider: Provider, choice: ProviderChoice, more = {}) {
  const { code, verifier } = await signInUpToCode(origin, provider, choice, more);
  return readSession(await exchangeCode(origin, code, verifier));
}

export function securityEvents({ log }: Pick<Site, "log">, userId: string): object[] {
  const lines = log.filter((line) => line.includes('"event"') && line.includes(userId));
  return lines.map((line) => {
    const { level: _l, time: _t, pid: _p, hostname: _h, msg: _m, user_id: _u, ...event } = JSON.parse(line);
    return event;
  });
}
