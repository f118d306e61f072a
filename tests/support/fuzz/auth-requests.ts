import { createHash, randomBytes, randomUUID } from "node:crypto";
import { encodeRefreshToken } from "../../../src/auth/tokens/refresh-token.server.ts";
import { createSignInAttempts } from "../../../src/auth/tokens/sign-in-attempt.server.ts";
import { createSigningKeys } from "../../../src/auth/tokens/signing-keys.server.ts";
import type { Db } from "../../../src/database/schema.server.ts";
import { type AccountsSite, authHeaders, callAuth, signIn, startSignIn } from "../accounts.ts";
import { fromNow, givenSignIn } from "../given.ts";
import { draftRequest } from "./request.ts";

const code = "c".repeat(43);

/**
 * One request of each kind of the auth protocol. Requests that would change data are invalid: the provider refuses the
 * code, the PKCE verifier does not match, and the session to sign out has ended. The refresh may succeed.
 */
export async function authRequests(db: Db, { site, google }: AccountsSite) {
  const { origin } = site;
  const state = await createSignInAttempts(createSigningKeys(db)).seal({
    id: "s".repeat(43),
    provider: "google",
    challenge: "x",
    redirectTo: `${origin}/?page=2`,
    nonce: "n",
    providerVerifier: "v",
  });
  const session = await signIn(origin, "google", { email: "wren@people.example" });
  const endedSession = await signIn(origin, "github", { email: "wren@people.example" });
  await callAuth(origin, "/logout?scope=local", { token: endedSession.access_token });
  const code_hash = createHash("sha256").update(code).digest();
  const returned = { id: "returned", challenge: "x", location: "", user_id: session.user.id };
  await givenSignIn(db, { ...returned, code_hash, expires_at: fromNow({ minutes: 5 }) });
  const request = (method: string, path: string, token?: string, body?: object) => {
    const headers = { ...authHeaders, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
    return draftRequest(method, `/auth/v1${path}`, headers, body);
  };
  const asked = { redirect_to: `${origin}/?page=2`, prompt: "login", login_hint: "a@b.example" };
  const authorize = (provider: string) =>
    startSignIn(origin, provider, asked).url.slice(`${origin}/auth/v1`.length);
  return [
    ...["google", "github"].map((provider) => request("GET", authorize(provider))),
    request("GET", `/callback?${new URLSearchParams({ state, code: "wrong", iss: google.issuer })}`),
    request("GET", `/callback?state=${state}&error=access_denied&error_description=No`),
    request("POST", "/token?grant_type=pkce", undefined, { auth_code: code, code_verifier: "v".repeat(43) }),
    request("POST", "/token?grant_type=refresh_token", undefined, { refresh_token: session.refresh_token }),
    request("POST", "/token?grant_type=refresh_token", undefined, {
      refresh_token: encodeRefreshToken(randomUUID(), 2n ** 64n - 1n, randomBytes(32)),
    }),
    request("GET", "/user", session.access_token),
    request("POST", "/logout?scope=local", endedSession.access_token),
    request("GET", "/settings"),
    request("GET", "/health"),
    request("GET", "/.well-known/jwks.json"),
    request("GET", "/no-such-route"),
  ];
}
