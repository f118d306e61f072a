import { sql } from "kysely";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { noIdentityFaults } from "../../dev/fake-identity-providers/faults.ts";
import { deleteUser } from "../../src/accounts/end-account.server.ts";
import { type Provider, providers } from "../../src/domain/account.ts";
import {
  callAuth,
  exchangeCode,
  fetchWithoutRedirect,
  openState,
  readSession,
  redirectTarget,
  refreshTokens,
  returnedCode,
  securityEvents,
  signIn,
  signInUpToCallback,
  signInUpToCode,
  startSignIn,
  statusAndCode,
  withOlderState,
} from "../support/accounts.ts";
import { givenEarlier, givenNone } from "../support/given.ts";
import type { ProviderChoice } from "../support/provider-sign-in.ts";
import { setUpAccounts, setUpSite } from "../support/set-up.ts";
import { countAccountRows, noAccountRows, storedRows, storedTexts } from "../support/stored.ts";

const waitOptions = { timeout: 10_000 };
const wren = { email: "Wren@people.example" };
const { database, db, accountsSite, origin } = await setUpAccounts();
const otherSite = await setUpSite(database, accountsSite.variables);
beforeEach(async () => {
  await givenNone(db, "users", "sign_ins");
  for (const provider of providers) Object.assign(accountsSite[provider].faults, noIdentityFaults());
});

const stored = () => countAccountRows(db);

const reachCallback = (provider: Provider, choice: ProviderChoice = wren, more = {}) =>
  signInUpToCallback(origin, provider, choice, more);

/** The error in query and fragment of the URL to which a callback redirects. */
async function errorOf(url: string) {
  const { searchParams, hash } = await redirectTarget(url);
  const inQuery = Object.fromEntries(searchParams);
  const expected = Object.fromEntries(Object.entries(inQuery).filter(([name]) => name.startsWith("error")));
  expect(Object.fromEntries(new URLSearchParams(hash.slice(1)))).toEqual(expected);
  return inQuery;
}

function changed(callback: string, parameters: Record<string, string | null>): string {
  const url = new URL(callback);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

const reachCode = () => signInUpToCode(origin, "google", wren);
const stateOf = (callback: string) => new URL(callback).searchParams.get("state") ?? "";
const stateAt = async (authorizeUrl: string) => stateOf((await redirectTarget(authorizeUrl)).href);

describe.each(providers)("with %s", (provider) => {
  test("a user signs in, and the session names the user", async () => {
    const { callback, verifier } = await reachCallback(provider);
    const { status, headers } = await fetchWithoutRedirect(callback);
    expect(status).toBe(302);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
    const back = new URL(headers.get("location") ?? "");
    expect([back.origin, back.pathname, ...back.searchParams.keys()]).toEqual([origin, "/", "code"]);
    const code = back.searchParams.get("code") ?? "";
    const { user, access_token: token } = await readSession(await exchangeCode(origin, code, verifier));
    expect(user).toMatchObject({
      aud: "authenticated",
      role: "authenticated",
      email: wren.email,
      phone: "",
      is_anonymous: false,
      app_metadata: { provider, providers: [provider] },
      identities: [{ provider, email: wren.email, user_id: user.id }],
    });
    expect(await (await callAuth(origin, "/user", { token })).json()).toEqual(user);
    expect(await stored()).toEqual({ users: 1, identities: 1, sessions: 1, waiting: 0 });
  });

  test("denied consent returns the provider's error description, unless it is a code", async () => {
    const { callback } = await reachCallback(provider, "deny", { redirect_to: `${origin}/?page=2` });
    expect(await errorOf(callback)).toMatchObject({
      page: "2",
      error: "access_denied",
      error_code: "access_denied",
      error_description: new URL(callback).searchParams.get("error_description"),
    });
    expect(await stored()).toEqual(noAccountRows);
    const event = `"user_id":null,"provider":"${provider}","reason":"refused_at_provider"`;
    await expect.poll(() => accountsSite.site.log.join("\n")).toContain(event);
    const codes = [null, "", "interaction_required", "login-required", "AADSTS65004:", "\u0007denied"];
    for (const error_description of codes) {
      const state = await stateAt(startSignIn(origin, provider).url);
      const refused = changed(callback, { error: "denied", error_description, state });
      expect(await errorOf(refused)).toEqual({ error: "denied", error_code: "denied" });
    }
  });
});

const badState = { error: "invalid_request", error_code: "bad_oauth_state" };

test("a forged or used state is refused and logged, and hides no code", async () => {
  const { log } = accountsSite.site;
  const logged = (reason: string) => log.filter((line) => line.includes(`"reason":"${reason}"`));
  const { callback, code } = await reachCode();
  await errorOf(`${callback}&used=again`);
  expect(logged("bad_oauth_state").at(-1)).toContain('"user_id":null,"provider":"google"');
  for (const query of ["", "code=x&state=", "code=x&state=ee", `code=x&state=${"e".repeat(300)}`]) {
    const { status, headers } = await fetchWithoutRedirect(`${origin}/auth/v1/callback?${query}`);
    const { href, searchParams } = new URL(headers.get("location") ?? "");
    expect([status, href.split("?")[0]]).toEqual([303, `${origin}/`]);
    expect(Object.fromEntries(searchParams)).toMatchObject(badState);
  }
  expect(logged("bad_oauth_state").at(-1)).toContain('"user_id":null,"provider":null');
  const refused = [exchangeCode(origin, code, "w".repeat(43)), exchangeCode(origin, "guess", "w".repeat(43))];
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([400, 404]);
  const [{ id = expect.fail() } = {}] = await storedRows(db, "users", ["id"]);
  const reason = { event: "sign_in_refused", provider: "google", reason: "bad_code_verifier" };
  expect(securityEvents(accountsSite.site, id)).toEqual([reason]);
  expect(logged("flow_state_not_found").at(-1)).toContain('"user_id":null,"provider":null');
});

test("a state of 15 minutes is refused, and the message says why", async () => {
  const { callback } = await reachCallback("google");
  expect(await errorOf(await withOlderState(db, callback, 900))).toMatchObject({
    ...badState,
    error_description: "Signing in took too long. Please press the button again.",
  });
  expect(await stored()).toEqual(noAccountRows);
});

test("the state works once, also after its code was exchanged or its attempt failed", async () => {
  const { callback, verifier } = await reachCallback("github");
  expect((await exchangeCode(origin, await returnedCode(callback), verifier)).status).toBe(200);
  const failing = await reachCallback("github", { email: "pip@people.example", verified: false });
  expect((await errorOf(failing.callback)).error).toBe("access_denied");
  for (const used of [callback, failing.callback])
    expect(await errorOf(`${used}&again=1`)).toMatchObject(badState);
  expect(await stored()).toEqual({ users: 1, identities: 1, sessions: 1, waiting: 0 });
});

test("a state of another provider, or with another issuer in iss, is refused", async () => {
  const other = await reachCallback("github", { email: "mallory@people.example" });
  const changes = Object.entries({ state: stateOf(other.callback), iss: "https://evil.example" });
  for (const [name, value] of changes) {
    const { callback } = await reachCallback("google");
    expect(await errorOf(changed(callback, { [name]: value }))).toMatchObject({ error: "server_error" });
  }
  expect(await stored()).toEqual(noAccountRows);
});

const exchange = async (code: string, verifier: string) =>
  statusAndCode(await exchangeCode(origin, code, verifier));

/** A slow machine may pass the limit, which proves nothing: the test starts again. */
async function withinTenSeconds(body: () => Promise<void>) {
  await body().catch(async (error) => {
    const { rows } = await sql<{ late: boolean }>`
      select max(exchanged_at) <= clock_timestamp() - interval '10 s' as late from sign_ins`.execute(db);
    if (!rows[0]?.late) throw error;
    await givenNone(db, "users", "sign_ins");
    await withinTenSeconds(body);
  });
}

test("the code begins one session, which exchanges at once, at two instances and repeated within 10 s get", () =>
  withinTenSeconds(async () => {
    const { code, verifier } = await reachCode();
    const servers = [origin, otherSite.origin, origin, otherSite.origin];
    const responses = await Promise.all(servers.map((server) => exchangeCode(server, code, verifier)));
    const sessions = await Promise.all(responses.map(readSession));
    await givenEarlier(db, "sign_ins", ["exchanged_at"], { seconds: 8 });
    const repeated = await readSession(await exchangeCode(origin, code, verifier));
    const tokens = new Set([...sessions, repeated].map(({ refresh_token }) => refresh_token));
    expect(tokens.size).toBe(1);
    const refreshed = await readSession(await refreshTokens(origin, repeated.refresh_token));
    // A later request, after the page has refreshed, gets the token that is valid then.
    const late = await readSession(await exchangeCode(origin, code, verifier));
    expect(late.refresh_token).toBe(refreshed.refresh_token);
    expect(await stored()).toMatchObject({ sessions: 1, waiting: 0 });
  }));

test.each([11, 3_599])("a verified code that is used again after %i s ends the session", async (seconds) => {
  const other = await signIn(origin, "google", wren);
  const { code, verifier } = await reachCode();
  const session = await readSession(await exchangeCode(origin, code, verifier));
  await givenEarlier(db, "sign_ins", ["exchanged_at"], { seconds });
  expect(await exchange(code, startSignIn(origin, "google").verifier)).toEqual([400, "bad_code_verifier"]);
  expect(await stored()).toMatchObject({ sessions: 2 });
  expect(await exchange(code, verifier)).toEqual([404, "flow_state_not_found"]);
  expect(await stored()).toMatchObject({ sessions: 1 });
  const statusOf = async (token: string) => (await callAuth(origin, "/user", { token })).status;
  expect(await statusOf(session.access_token)).toBe(403);
  expect(await statusOf(other.access_token)).toBe(200);
  const ended = { event: "session_ended", reason: "code_reused" };
  expect(securityEvents(accountsSite.site, session.user.id).at(-1)).toEqual(ended);
  expect(await exchange(code, verifier)).toEqual([404, "flow_state_not_found"]);
});

test("the code needs its verifier, is not stored, and begins one session, also after its sign-out", async () => {
  const { callback, code, verifier } = await reachCode();
  for (const secret of [code, new URL(callback).searchParams.get("code")])
    expect((await storedTexts(db, "sign_ins"))[0]).not.toContain(secret);
  for (const other of [startSignIn(origin, "google").verifier, ""])
    expect(await exchange(code, other)).toEqual([400, "bad_code_verifier"]);
  expect(await stored()).toMatchObject({ sessions: 0, waiting: 1 });
  const session = await readSession(await exchangeCode(origin, code, verifier));
  expect((await storedTexts(db, "sessions"))[0]).not.toContain(session.refresh_token);
  await callAuth(origin, "/logout", { token: session.access_token });
  expect(await exchange(code, verifier)).toEqual([404, "flow_state_not_found"]);
  expect(await stored()).toMatchObject({ sessions: 0 });
});

test("the code is valid for 2 minutes after the callback, however old the attempt is", async () => {
  const exchangeAfter = async (seconds: number) => {
    const { callback, verifier } = await reachCallback("google");
    const code = await returnedCode(await withOlderState(db, callback, 600));
    await givenEarlier(db, "sign_ins", ["returned_at", "expires_at"], { seconds });
    return exchange(code, verifier);
  };
  expect(await exchangeAfter(120)).toEqual([422, "flow_state_expired"]);
  expect(await stored()).toMatchObject({ sessions: 0 });
  expect(await exchangeAfter(60)).toEqual([200, undefined]);
  expect(await stored()).toMatchObject({ sessions: 1 });
});

test("deleting a user during sign-ins breaks neither, and a last deletion leaves no rows", async () => {
  for (let round = 0; round < 4; round++) {
    const before = await signIn(origin, "google", wren);
    const refused = (error: Error) => expect(error.message).toContain("flow_state_not_found");
    await Promise.all([
      deleteUser(db, before.user.id),
      ...providers.map((provider) => signIn(origin, provider, wren).catch(refused)),
    ]);
  }
  for (const { id } of await storedRows(db, "users", ["id"])) await deleteUser(db, id);
  expect(await stored()).toMatchObject({ users: 0, identities: 0, sessions: 0 });
});

test.each([
  ["an unknown provider", { provider: "gitlab" }],
  ["no provider", { provider: "" }],
  ["a provider in capitals", { provider: "Google" }],
  ["no challenge", { code_challenge: "" }],
  ["a short challenge", { code_challenge: "a".repeat(42) }],
  ["a long challenge", { code_challenge: "a".repeat(129) }],
  ["a challenge of other characters", { code_challenge: `${"a".repeat(43)} ` }],
  ["the method plain", { code_challenge_method: "plain" }],
  ["no method", { code_challenge_method: "" }],
])("/authorize with %s is refused with 400", async (_case, parameters) => {
  const response = await fetchWithoutRedirect(startSignIn(origin, "google", parameters).url);
  expect(response.status).toBe(400);
  const body = { code: 400, error_code: "validation_failed", msg: expect.any(String) };
  expect(await response.json()).toEqual(body);
});

const reserved =
  "client_id Client_ID STATE state response_type redirect_uri Redirect_Uri NONCE scope scopes code_challenge_Method";

test.each(providers)("at /authorize %s gets required parameters, and allowed ones", async (provider) => {
  const evil = Object.fromEntries(reserved.split(" ").map((name) => [name, "evil"]));
  const allowed = { prompt: "select_account", login_hint: "a@b.example" };
  const { url } = startSignIn(origin, provider, { ...evil, ...allowed });
  const params = Object.fromEntries((await redirectTarget(url)).searchParams);
  expect(JSON.stringify(params)).not.toContain("evil");
  expect(params).toMatchObject({
    client_id: accountsSite[provider].clientId,
    redirect_uri: `${origin}/auth/v1/callback`,
    response_type: "code",
    scope: provider === "google" ? "openid email" : "user:email",
    code_challenge_method: "S256",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/),
    ...allowed,
  });
  expect("nonce" in params).toBe(provider === "google");
});

test("neither forged forwarding headers nor redirect_to lead away from the site", async () => {
  const forwarded = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
  const headers = { ...forwarded, Forwarded: "host=evil.example" };
  const locationOf = async (url: string) => {
    const response = await fetch(url, { redirect: "manual", headers });
    return response.headers.get("location") ?? "";
  };
  const { url } = startSignIn(origin, "google", { redirect_to: "https://evil.example/" });
  const location = await locationOf(url);
  expect(new URL(location).searchParams.get("redirect_uri")).toBe(`${origin}/auth/v1/callback`);
  expect((await openState(db, location)).redirectTo).toBe(`${origin}/`);
  expect(new URL(await locationOf(`${origin}/auth/v1/callback?state=x`)).origin).toBe(origin);
});

const atOtherInstance = (url: string) => url.replace(origin, otherSite.origin);

const reachFromPage = (provider: Provider, person: ProviderChoice = wren) =>
  reachCallback(provider, person, { redirect_to: `${origin}/?page=2&sb_flow_id=0af3b1c2` });

function tokenRequests(provider: Provider): number {
  const toToken = /^POST \/(token|login\/oauth\/access_token)$/;
  return accountsSite[provider].requests.filter((line) => toToken.test(line)).length;
}

describe("a callback that arrives again, at another instance,", () => {
  test.each(providers)("after a sign-in with %s gets the same code, later the page", async (provider) => {
    const asked = tokenRequests(provider);
    const { callback, verifier } = await reachFromPage(provider);
    const first = await redirectTarget(callback);
    expect(first.searchParams.get("page")).toBe("2");
    for (const again of [callback, atOtherInstance(callback), callback])
      expect((await redirectTarget(again)).href).toBe(first.href);
    expect(tokenRequests(provider)).toBe(asked + 1);
    expect(await exchange(first.searchParams.get("code") ?? "", verifier)).toEqual([200, undefined]);
    expect((await redirectTarget(atOtherInstance(callback))).href).toBe(`${origin}/?page=2`);
    expect(await stored()).toMatchObject({ users: 1, sessions: 1, waiting: 0 });
  });

  test.each<[string, Provider, ProviderChoice, string]>([
    ["had no verified e-mail", "github", { ...wren, verified: false }, "provider_email_needs_verification"],
    ["was denied at Google", "google", "deny", "access_denied"],
  ])("after or during a sign-in that %s gets the same error", async (_, provider, person, code) => {
    const { callback } = await reachFromPage(provider, person);
    accountsSite.github.faults.endpoints.set("emails", { kind: "slow", ms: 700 });
    const first = redirectTarget(callback);
    if (person !== "deny" && person !== "fail")
      await vi.waitUntil(() => accountsSite.github.requests.at(-1)?.endsWith("/emails"), waitOptions);
    const { href, searchParams } = await redirectTarget(atOtherInstance(callback));
    expect(searchParams.get("error_code")).toBe(code);
    for (const url of [await first, await redirectTarget(callback)]) expect(url.href).toBe(href);
    expect(await stored()).toEqual(noAccountRows);
  });

  test("61 seconds later gets an error", async () => {
    const { callback } = await reachFromPage("google");
    await redirectTarget(callback);
    await givenEarlier(db, "sign_ins", ["returned_at"], { seconds: 61 });
    expect(await errorOf(atOtherInstance(callback))).toMatchObject(badState);
  });
});

test("of concurrent callbacks at two instances, equal ones get one code, by one request, and others nothing", async () => {
  const { callback, verifier } = await reachFromPage("google");
  const asked = tokenRequests("google");
  const urls = Array.from({ length: 12 }, (_, index) => `${callback}&kind=${index % 3}`);
  const sent = urls.map((url, index) => redirectTarget(index % 2 ? url : atOtherInstance(url)));
  const returns = (await Promise.all(sent)).map(({ searchParams }) => searchParams);
  const codes = returns.flatMap((query) => query.get("code") ?? []);
  expect([codes.length, new Set(codes).size]).toEqual([4, 1]);
  expect(returns.filter((query) => query.get("error_code") === "bad_oauth_state")).toHaveLength(8);
  expect(tokenRequests("google")).toBe(asked + 1);
  const state = stateOf(callback);
  for (const more of ["", "&code=guess", "&error=access_denied"])
    expect(await errorOf(`${origin}/auth/v1/callback?state=${state}${more}`)).toMatchObject(badState);
  expect(await exchange(codes[0] ?? "", verifier)).toEqual([200, undefined]);
  expect(await stored()).toMatchObject({ users: 1, identities: 1, sessions: 1 });
});

test("HEAD and prefetches are refused, and neither begin nor finish a sign-in attempt", async () => {
  const begun = startSignIn(origin, "google");
  const { callback, verifier } = await reachFromPage("github");
  for (const [name, value] of [
    ["Sec-Purpose", "prefetch;prerender"],
    ["Sec-Purpose", "prefetch;anonymous-client-ip"],
    ["Purpose", "prefetch"],
    ["X-Purpose", "preview"],
    ["X-Moz", "prefetch"],
  ] as const) {
    for (const url of [begun.url, callback]) {
      const response = await fetch(url, { redirect: "manual", headers: { [name]: value } });
      expect([response.status, response.headers.get("cache-control")]).toEqual([403, "no-store"]);
    }
  }
  for (const url of [begun.url, callback]) {
    const { status, headers } = await fetch(url, { method: "HEAD", redirect: "manual" });
    expect([status, headers.get("allow")]).toEqual([405, "GET"]);
  }
  expect(await stored()).toEqual(noAccountRows);
  expect((await fetchWithoutRedirect(begun.url)).status).toBe(302);
  expect(await exchange(await returnedCode(callback), verifier)).toEqual([200, undefined]);
});
