import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { encodeRefreshToken } from "../../../src/auth/tokens/refresh-token.server.ts";
import type { Schema } from "../../../src/database/schema.server.ts";
import { type AccountsSite, callAuth, signIn, startSignIn } from "../accounts.ts";
import { draftRequest, type RequestDraft } from "./request.ts";

/** The state of the sign-in that may come back, and the code of the one that has. */
export const pendingFlowState = "s".repeat(43);
export const returnedFlowState = "returned";
const code = "c".repeat(43);

const hash = (text: string) => createHash("sha256").update(text).digest();

/** Lays out a sign-in that may come back, and one that has come back. Somebody must have signed in before. */
export async function insertSignInFlows(db: Kysely<Schema>, origin: string): Promise<void> {
  await sql`with open as (
      insert into flows (state, provider, challenge, redirect_to, nonce, provider_verifier, expires_at)
      values (${pendingFlowState}, 'google', 'x', ${`${origin}/?page=2`}, 'n', 'v', now() + interval '5 minutes')
      on conflict (state) do update set returned_at = null
    )
    insert into flows (state, provider, challenge, redirect_to, nonce, provider_verifier, expires_at, code_hash, user_id)
    select ${returnedFlowState}, 'google', 'x', 'x', 'n', 'v', now() + interval '5 minutes', ${hash(code)}, id from users limit 1
    on conflict (state) do nothing`.execute(db);
}

/**
 * A request of each kind of the auth protocol, all good but for what would change something: the code of the sign-in is not the
 * provider's, the verifier is another one, and whoever signs out has done so before. A refresh may succeed each time.
 */
export async function authRequests({ site, google }: AccountsSite): Promise<RequestDraft[]> {
  const { origin } = site;
  const session = await signIn(origin, "google", { email: "wren@people.example" });
  const ended = await signIn(origin, "github", { email: "wren@people.example" });
  await callAuth(origin, "/logout?scope=local", { token: ended.access_token });
  const ask = (method: string, path: string, token?: string, body?: object) =>
    draftRequest(method, `/auth/v1${path}`, headersOf(token), body);
  const authorize = (provider: string) =>
    startSignIn(origin, provider, { redirect_to: `${origin}/?page=2`, prompt: "login", login_hint: "a@b.example" });
  return [
    ...["google", "github"].map((provider) => ask("GET", authorize(provider).url.slice(`${origin}/auth/v1`.length))),
    ask("GET", `/callback?${new URLSearchParams({ state: pendingFlowState, code: "wrong", iss: google.issuer })}`),
    ask("GET", `/callback?state=${pendingFlowState}&error=access_denied&error_description=No`),
    ask("POST", "/token?grant_type=pkce", undefined, { auth_code: code, code_verifier: "v".repeat(43) }),
    ask("POST", "/token?grant_type=refresh_token", undefined, { refresh_token: session.refresh_token }),
    ask("POST", "/token?grant_type=refresh_token", undefined, {
      refresh_token: encodeRefreshToken(randomUUID(), 2n ** 64n - 1n, randomBytes(32)),
    }),
    ask("GET", "/user", session.access_token),
    ask("POST", "/logout?scope=local", ended.access_token),
    ask("GET", "/settings"),
    ask("GET", "/health"),
    ask("GET", "/.well-known/jwks.json"),
    ask("GET", "/nothing"),
  ];
}

function headersOf(token: string | undefined): RequestDraft["headers"] {
  return {
    apikey: "front-row-public",
    "X-Supabase-Api-Version": "2024-01-01",
    "Content-Type": "application/json;charset=UTF-8",
    ...(token && { Authorization: `Bearer ${token}` }),
  };
}
