import { createHash, randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { type ProviderChoice, signInAtProvider } from "../../tests/support/provider-sign-in.ts";
import { type FakeGithub, startFakeGithub } from "./github.ts";

const redirectUri = "http://127.0.0.1:9/auth/v1/callback";
const ada = { email: "ada.lovelace@example.com" };

async function start(): Promise<FakeGithub> {
  const github = await startFakeGithub({ redirectUris: [redirectUri] });
  onTestFinished(() => github.close());
  return github;
}

function authorizeUrl({ url, clientId }: FakeGithub, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "user:email",
    state: "a state",
    ...parameters,
  });
  return `${url}/login/oauth/authorize?${query}`;
}

/** Signs in and returns the parameters of the redirect to the site. */
async function comeBack(github: FakeGithub, person: ProviderChoice, parameters?: Record<string, string>) {
  const redirect = new URL(await signInAtProvider(authorizeUrl(github, parameters), person));
  expect(redirect.origin + redirect.pathname).toBe(redirectUri);
  return Object.fromEntries(redirect.searchParams);
}

async function exchange({ url, clientId, clientSecret }: FakeGithub, parameters: Record<string, string>) {
  const response = await fetch(`${url}/login/oauth/access_token`, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...parameters }),
  });
  expect(response.status).toBe(200);
  return response.json();
}

async function signIn(github: FakeGithub, person: ProviderChoice, parameters?: Record<string, string>) {
  const { code = "" } = await comeBack(github, person, parameters);
  const { access_token: token } = await exchange(github, { code });
  return { authorization: `Bearer ${token}` };
}

async function readUser({ apiUrl }: FakeGithub, headers: Record<string, string>) {
  const [user, emails] = await Promise.all(
    ["/user", "/user/emails"].map((path) => fetch(apiUrl + path, { headers })),
  );
  return { user: await user?.json(), emails: await emails?.json() };
}

test("the token of a sign-in gives access to the user and their e-mail addresses", async () => {
  const github = await start();
  const { code = "", state } = await comeBack(github, ada);
  expect(state).toBe("a state");
  const tokens = await exchange(github, { code, redirect_uri: redirectUri });
  expect(tokens).toEqual({
    access_token: expect.stringMatching(/^gho_\w{36}$/),
    scope: "user:email",
    token_type: "bearer",
  });
  const { user, emails } = await readUser(github, { authorization: `Bearer ${tokens.access_token}` });
  expect(user).toMatchObject({ id: expect.any(Number), login: "ada-lovelace", email: null });
  expect(emails).toEqual([
    { email: "ada.lovelace@example.com", primary: true, verified: true, visibility: "private" },
    {
      email: `${user.id}+ada-lovelace@users.noreply.github.example`,
      primary: false,
      verified: true,
      visibility: null,
    },
  ]);
});

test("a code can be exchanged once", async () => {
  const github = await start();
  const { code = "" } = await comeBack(github, ada);
  expect(await exchange(github, { code })).toHaveProperty("access_token");
  expect(await exchange(github, { code })).toEqual({
    error: "bad_verification_code",
    error_description: "The code passed is incorrect or expired.",
    error_uri: expect.stringContaining("#bad-verification-code"),
  });
});

test("a code requested with a PKCE challenge requires its verifier", async () => {
  const github = await start();
  const verifier = randomBytes(32).toString("base64url");
  const challenge = {
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  const errorWith = async (parameters: Record<string, string>) => {
    const { code = "" } = await comeBack(github, ada, challenge);
    return (await exchange(github, { code, ...parameters })).error;
  };
  expect(await errorWith({ code_verifier: verifier })).toBeUndefined();
  expect(await errorWith({ code_verifier: `${verifier}x` })).toBe("bad_verification_code");
  expect(await errorWith({})).toBe("bad_verification_code");
  const plain = { code_challenge: verifier, code_challenge_method: "plain" };
  expect(await comeBack(github, ada, plain)).toHaveProperty("error", "invalid_request");
});

test("a wrong secret, client or redirect URI in the exchange is an error with status 200", async () => {
  const github = await start();
  const errorWith = async (parameters: Record<string, string>) => {
    const { code = "" } = await comeBack(github, ada);
    return (await exchange(github, { code, ...parameters })).error;
  };
  expect(await errorWith({ client_secret: "wrong" })).toBe("incorrect_client_credentials");
  expect(await errorWith({ client_id: "another" })).toBe("incorrect_client_credentials");
  expect(await errorWith({ redirect_uri: `${redirectUri}/` })).toBe("redirect_uri_mismatch");
});

test("the API requires a known token, the scope for e-mail addresses, and a User-Agent", async () => {
  const github = await start();
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await fetch(github.apiUrl + path, { headers })).status;
  const fullScope = await signIn(github, ada);
  const noScope = await signIn(github, ada, { scope: "" });
  expect(await statusOf("/user", {})).toBe(401);
  expect(await statusOf("/user", { authorization: "Bearer gho_unknown" })).toBe(401);
  expect(await statusOf("/user", { ...fullScope, "user-agent": "" })).toBe(403);
  expect(await statusOf("/user", noScope)).toBe(200);
  expect(await statusOf("/user/emails", noScope)).toBe(404);
  expect(await statusOf("/user/emails", fullScope)).toBe(200);
  const refused = await fetch(`${github.apiUrl}/user`, { headers: { authorization: "token gho_unknown" } });
  expect(await refused.json()).toMatchObject({ message: "Bad credentials" });
});
