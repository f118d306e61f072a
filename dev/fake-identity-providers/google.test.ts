import { createHash } from "node:crypto";
import { decodeProtectedHeader } from "jose";
import * as client from "openid-client";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type ProviderChoice, signInAtProvider } from "../../tests/support/provider-sign-in.ts";
import { type FakeGoogle, startFakeGoogle } from "./google.ts";

const redirectUri = "http://127.0.0.1:9/auth/v1/callback";
const ada = { email: "ada@example.com" };

// The OpenID Connect library warns on the console about a questionable configuration.
beforeEach(() => {
  const spies = (["log", "info", "warn", "error"] as const).map((method) => vi.spyOn(console, method));
  return () => {
    const calls = spies.flatMap(({ mock }) => mock.calls);
    vi.restoreAllMocks();
    expect(calls).toEqual([]);
  };
});

async function start(): Promise<FakeGoogle> {
  const google = await startFakeGoogle({ redirectUris: [redirectUri] });
  onTestFinished(() => google.close());
  return google;
}

function discover(google: FakeGoogle) {
  const authentication = client.ClientSecretPost(google.clientSecret);
  return client.discovery(new URL(google.issuer), google.clientId, undefined, authentication, {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  });
}

/** Runs a sign-in up to the redirect to the site. */
async function authorize(
  config: client.Configuration,
  person: ProviderChoice,
  parameters: Record<string, string> = {},
) {
  const verifier = client.randomPKCECodeVerifier();
  const nonce = client.randomNonce();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid email",
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...parameters,
  });
  const redirect = new URL(await signInAtProvider(url.href, person));
  const checks = {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  };
  return { redirect, checks };
}

async function signIn(google: FakeGoogle, person: ProviderChoice, parameters?: Record<string, string>) {
  const config = await discover(google);
  const { redirect, checks } = await authorize(config, person, parameters);
  return client.authorizationCodeGrant(config, redirect, checks);
}

test("the ID token of a sign-in has the claims that Google sends", async () => {
  const google = await start();
  const tokens = await signIn(google, ada);
  expect(decodeProtectedHeader(tokens.id_token ?? "")).toMatchObject({
    alg: "RS256",
    kid: expect.any(String),
  });
  expect(tokens.claims()).toEqual({
    iss: google.issuer,
    aud: google.clientId,
    sub: expect.stringMatching(/^1\d{20}$/),
    iat: expect.any(Number),
    exp: expect.any(Number),
    nonce: expect.any(String),
    at_hash: createHash("sha256").update(tokens.access_token).digest().subarray(0, 16).toString("base64url"),
    email: "ada@example.com",
    email_verified: true,
  });
});

test("auth_time is sent only if claims requests it, and max_age has no effect", async () => {
  const google = await start();
  const claims = JSON.stringify({ id_token: { auth_time: { essential: true } } });
  const authTimeOf = async (parameters: Record<string, string>, before = false) =>
    (await signIn(google, { ...ada, before }, parameters)).claims()?.auth_time;
  expect(await authTimeOf({ max_age: "0" })).toBeUndefined();
  const now = Date.now() / 1000;
  expect(Math.abs(Number(await authTimeOf({ claims })) - now)).toBeLessThan(60);
  expect(Math.abs(Number(await authTimeOf({ claims, max_age: "0" }, true)) - now + 86_400)).toBeLessThan(60);
});

test("a code can be exchanged once, with its PKCE verifier", async () => {
  const config = await discover(await start());
  const invalid = { error: "invalid_grant" };
  const stolen = await authorize(config, ada);
  const wrong = { ...stolen.checks, pkceCodeVerifier: client.randomPKCECodeVerifier() };
  await expect(client.authorizationCodeGrant(config, stolen.redirect, wrong)).rejects.toMatchObject(invalid);
  const { redirect, checks } = await authorize(config, ada);
  await client.authorizationCodeGrant(config, redirect, checks);
  await expect(client.authorizationCodeGrant(config, redirect, checks)).rejects.toMatchObject(invalid);
});
