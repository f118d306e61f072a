import { createHash } from "node:crypto";
import { decodeProtectedHeader } from "jose";
import * as client from "openid-client";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createBrowser, type ProviderChoice, signInAtProvider } from "../../tests/support/provider-sign-in.ts";
import { type FakeGoogle, startFakeGoogle } from "./google.ts";

const redirectUri = "http://127.0.0.1:9/auth/v1/callback";
const ada = { email: "ada@example.com" };

// The library speaks up on the console when it is not set up as it wants to be.
beforeEach(() => {
  const spies = (["log", "info", "warn", "error"] as const).map((method) => vi.spyOn(console, method));
  return () => {
    const said = spies.flatMap(({ mock }) => mock.calls);
    vi.restoreAllMocks();
    expect(said).toEqual([]);
  };
});

async function start(): Promise<FakeGoogle> {
  const google = await startFakeGoogle({ redirectUris: [redirectUri] });
  onTestFinished(() => google.close());
  return google;
}

type Authentication = (secret?: string) => client.ClientAuth;

function discover(google: FakeGoogle, { secret = google.clientSecret, authenticate = client.ClientSecretPost } = {}) {
  return client.discovery(new URL(google.issuer), google.clientId, undefined, authenticate(secret), {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    timeout: 2,
  });
}

/** Runs a sign-in up to the redirect back to the site. */
async function leave(config: client.Configuration, person: ProviderChoice, parameters: Record<string, string> = {}) {
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
  const back = new URL(await signInAtProvider(url.href, person));
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
  return { back, checks };
}

async function signIn(google: FakeGoogle, person: ProviderChoice, parameters?: Record<string, string>) {
  const config = await discover(google);
  const { back, checks } = await leave(config, person, parameters);
  return client.authorizationCodeGrant(config, back, checks);
}

async function claimsOf(google: FakeGoogle, person: ProviderChoice) {
  return (await signIn(google, person)).claims();
}

test("the ID token of a sign-in has the claims of Google's", async () => {
  const google = await start();
  const tokens = await signIn(google, ada);
  expect(decodeProtectedHeader(tokens.id_token ?? "")).toMatchObject({ alg: "RS256", kid: expect.any(String) });
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

test.each<[string, Authentication]>([
  ["in the form", client.ClientSecretPost],
  ["in the header", client.ClientSecretBasic],
])("the site may show its secret %s", async (_where, authenticate) => {
  const google = await start();
  const config = await discover(google, { authenticate });
  const { back, checks } = await leave(config, ada);
  await expect(client.authorizationCodeGrant(config, back, checks)).resolves.toHaveProperty("id_token");
});

test("the same e-mail is the same account, in whatever case and after a restart; another e-mail is another", async () => {
  const google = await start();
  const again = await start();
  const first = await claimsOf(google, ada);
  expect((await claimsOf(google, { email: "ADA@Example.com" }))?.sub).toBe(first?.sub);
  expect((await claimsOf(again, ada))?.sub).toBe(first?.sub);
  expect((await claimsOf(google, { email: "eda@example.com" }))?.sub).not.toBe(first?.sub);
});

test("an e-mail can be unverified", async () => {
  const google = await start();
  expect(await claimsOf(google, { ...ada, verified: false })).toMatchObject({ email_verified: false });
});

async function openPage(google: FakeGoogle, parameters: Record<string, string> = {}) {
  const browse = createBrowser(new URL(google.issuer).host);
  const asked = { redirect_uri: redirectUri, scope: "openid email", ...parameters };
  const url = client.buildAuthorizationUrl(await discover(google), asked).href;
  const page = await browse(url);
  if ("left" in page) throw new Error(`There is no page, but ${page.left}`);
  return { browse, url, page };
}

test("the page names the site, says that it is a fake, and fills in the hint", async () => {
  const { page } = await openPage(await start(), { login_hint: 'a"b<i>@example.com' });
  expect(page.text).toContain("<title>Google (fake)</title>");
  expect(page.text).toContain("<strong>127.0.0.1:9</strong>");
  expect(page.text).toContain('value="a&quot;b&lt;i&gt;@example.com"');
});

test("a press of a button signs in an invented person, one of them with an unverified e-mail", async () => {
  const google = await start();
  const config = await discover(google);
  for (const [name, email, verified] of [
    ["Isla Fraser", "isla.fraser@visitors.example", true],
    ["Morag Sinclair (e-mail not verified)", "morag.sinclair@visitors.example", false],
  ]) {
    const { browse, page } = await openPage(google);
    expect(page.text).toContain(`value="${email}">${name} <span>`);
    const answered = await browse(page.url, new URLSearchParams({ person: String(email) }));
    if (!("left" in answered)) throw new Error("The person did not get through");
    const tokens = await client.authorizationCodeGrant(config, new URL(answered.left), { idTokenExpected: true });
    expect(tokens.claims()).toMatchObject({ email, email_verified: verified });
  }
});

test("nobody is remembered: the same browser is asked again, whatever prompt the site asks for", async () => {
  const { browse, page, url } = await openPage(await start());
  expect(await browse(page.url, new URLSearchParams({ person: "isla.fraser@visitors.example" }))).toHaveProperty(
    "left",
  );
  for (const prompt of [
    "",
    "&prompt=login",
    "&prompt=select_account",
    "&prompt=consent",
    "&prompt=select_account+consent",
  ]) {
    const again = await browse(url + prompt);
    if ("left" in again) throw new Error("The browser was not asked again");
    const answered = await browse(again.url, new URLSearchParams({ person: "hamish.boyd@visitors.example" }));
    expect(answered).toEqual({ left: expect.stringContaining("code=") });
  }
  expect(await browse(`${url}&prompt=none`)).toEqual({ left: expect.stringContaining("error=login_required") });
});

test("an invalid e-mail address shows the page again", async () => {
  const { browse, page } = await openPage(await start());
  const form = new URLSearchParams({ email: "nobody", action: "continue" });
  await expect(browse(page.url, form)).rejects.toThrow("400: ");
});

test("a browser without the cookie of its sign-in gets an error page", async () => {
  const { page } = await openPage(await start());
  const response = await fetch(page.url);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("This sign-in is over");
});

test.each([
  ["deny", "access_denied"],
  ["fail", "server_error"],
] as const)("who chooses to %s comes back with %s", async (choice, error) => {
  const config = await discover(await start());
  const { back, checks } = await leave(config, choice);
  expect(back.origin + back.pathname).toBe(redirectUri);
  expect(back.searchParams.get("error_description")).toBeTruthy();
  await expect(client.authorizationCodeGrant(config, back, checks)).rejects.toMatchObject({ error });
});

test("a code is good for one exchange, with the verifier that belongs to it", async () => {
  const config = await discover(await start());
  const invalid = { error: "invalid_grant" };
  const stolen = await leave(config, ada);
  const wrong = { ...stolen.checks, pkceCodeVerifier: client.randomPKCECodeVerifier() };
  await expect(client.authorizationCodeGrant(config, stolen.back, wrong)).rejects.toMatchObject(invalid);
  const { back, checks } = await leave(config, ada);
  await client.authorizationCodeGrant(config, back, checks);
  await expect(client.authorizationCodeGrant(config, back, checks)).rejects.toMatchObject(invalid);
});

test("a wrong secret, an unknown client and another address to come back to are refused", async () => {
  const google = await start();
  const forged = await discover(google, { secret: "wrong" });
  const { back, checks } = await leave(forged, ada);
  await expect(client.authorizationCodeGrant(forged, back, checks)).rejects.toMatchObject({ error: "invalid_client" });
  await expect(leave(forged, ada, { redirect_uri: `${redirectUri}/` })).rejects.toThrow("invalid_redirect_uri");
  await expect(leave(forged, ada, { client_id: "another" })).rejects.toThrow("invalid_client");
});

test.each<[string, (google: FakeGoogle) => void]>([
  ["another issuer", ({ faults }) => (faults.tamper = (claims) => ({ ...claims, iss: "https://accounts.example" }))],
  ["another audience", ({ faults }) => (faults.tamper = (claims) => ({ ...claims, aud: "another" }))],
  ["an expired time", ({ faults }) => (faults.tamper = (claims) => ({ ...claims, exp: 1 }))],
  ["another nonce", ({ faults }) => (faults.tamper = (claims) => ({ ...claims, nonce: "another" }))],
  ["the wrong key", ({ faults }) => (faults.signWith = "wrong key")],
  ["no signature", ({ faults }) => (faults.signWith = "none")],
  ["the public key as a secret", ({ faults }) => (faults.signWith = "HS256")],
  ["no ID token", ({ faults }) => (faults.change.token = ({ id_token: _, ...tokens }) => tokens)],
  ["keys of no use", ({ faults }) => (faults.change.jwks = () => ({ keys: [] }))],
])("a fault can send %s, which a careful site notices", async (_fault, apply) => {
  const google = await start();
  await signIn(google, ada);
  apply(google);
  await expect(signIn(google, ada)).rejects.toThrow();
});

test("a fault can change claims under a valid signature, which only a very careful site notices", async () => {
  const google = await start();
  google.faults.tamper = ({ email: _, ...claims }) => ({ ...claims, email_verified: "true", at_hash: "another" });
  const claims = await claimsOf(google, ada);
  expect(claims).toMatchObject({ email_verified: "true", at_hash: "another" });
  expect(claims).not.toHaveProperty("email");
});

test("a fault can change the issuer in the discovery document", async () => {
  const google = await start();
  google.faults.change.discovery = (document) => ({ ...document, issuer: "https://accounts.example" });
  await expect(discover(google)).rejects.toThrow();
});

test("the requests are listed as they came", async () => {
  const google = await start();
  await signIn(google, ada);
  expect(google.requests.map((line) => line.replace(/\?.*|(?<=\/(auth|interaction)\/).*/, ""))).toEqual([
    "GET /.well-known/openid-configuration",
    "GET /auth",
    "GET /interaction/",
    "POST /interaction/",
    "GET /auth/",
    "POST /token",
    "GET /jwks",
  ]);
  expect(google.requests[1]).toContain("&code_challenge_method=S256");
});
