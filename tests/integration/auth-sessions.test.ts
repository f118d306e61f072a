import { decodeJwt, importJWK, SignJWT } from "jose";
import { expect, test } from "vitest";
import { decodeRefreshToken, encodeRefreshToken } from "../../src/auth/tokens/refresh-token.server.ts";
import {
  callAuth,
  statusAndCode as errorOf,
  exchangeCode,
  readSession,
  refreshTokens,
  type SessionResponse,
  securityEvents,
  signIn,
  signInUpToCode,
} from "../support/accounts.ts";
import { runAdmin } from "../support/admin.ts";
import { ago, fromNow, givenChanged, givenDeleted, givenSession } from "../support/given.ts";
import { openTestSite, setUpAccounts, setUpSite } from "../support/set-up.ts";
import { auditRows, storedRows } from "../support/stored.ts";

const wren = { email: "wren@people.example" };
const notFound = [400, "refresh_token_not_found"];
const { database, db, accountsSite, origin } = await setUpAccounts();
const second = await setUpSite(database, accountsSite.variables);

async function refreshSession(from: string, token: string): Promise<SessionResponse> {
  const response = await refreshTokens(from, token);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return readSession(response);
}

const sessionIdOf = ({ refresh_token }: SessionResponse) =>
  decodeRefreshToken(refresh_token)?.sessionId ?? expect.fail();

async function backdateRefresh(session: SessionResponse, seconds: number): Promise<void> {
  await givenChanged(db, "sessions", { refreshed_at: ago({ seconds }) }, { id: sessionIdOf(session) });
}

async function storedSession(session: SessionResponse) {
  const sessions = await storedRows(db, "sessions", ["id", "refresh_key", "expires_at"]);
  return sessions.find(({ id }) => id === sessionIdOf(session)) ?? expect.fail();
}

const isAccepted = async ({ access_token: token }: SessionResponse) =>
  (await callAuth(origin, "/user", { token })).status === 200;

test("refreshing in many tabs at once, on two server processes, gives all of them the same new token", async () => {
  const session = await signIn(origin, "github", wren);
  for (let round = 0, token = session.refresh_token; round < 5; round++) {
    const tabs = [origin, second.origin, origin, second.origin, origin, second.origin];
    const responses = await Promise.all(tabs.map((site) => refreshSession(site, token)));
    const [first = expect.fail()] = responses;
    expect(first.refresh_token).not.toBe(token);
    for (const { refresh_token, user, expires_at } of responses) {
      expect([refresh_token, user]).toEqual([first.refresh_token, session.user]);
      expect(Math.abs(expires_at - Date.now() / 1000 - 3600)).toBeLessThan(60);
    }
    expect(sessionIdOf(first)).toBe(sessionIdOf(session));
    expect(await Promise.all(responses.map(isAccepted))).toEqual(tabs.map(() => true));
    token = first.refresh_token;
  }
});

test.each([
  ["the previous token", 1, 86_390, null],
  ["the previous token, a day later", 1, 86_401, "refresh_token_already_used"],
  ["an older token within 10 s", 2, 8, null],
  ["an older token later", 2, 11, "refresh_token_already_used"],
])("refreshing with %s gives the current one, or ends the session", async (_, stepsBack, age, refusal) => {
  const session = await signIn(origin, "github", wren);
  const tokens = [session.refresh_token];
  for (let step = 0; step < stepsBack; step++)
    tokens.unshift((await refreshSession(origin, tokens[0] ?? "")).refresh_token);
  const [current = "", ...older] = tokens;
  await backdateRefresh(session, age);
  const response = await refreshTokens(second.origin, older.at(-1) ?? "");
  if (refusal === null) {
    expect((await readSession(response)).refresh_token).toBe(current);
    expect((await refreshSession(origin, current)).refresh_token).not.toBe(current);
    return;
  }
  expect(await errorOf(response)).toEqual([400, refusal]);
  expect(await errorOf(await refreshTokens(origin, current))).toEqual(notFound);
  expect(await isAccepted(session)).toBe(false);
  const ended = { event: "session_ended", reason: refusal };
  expect(securityEvents(second, session.user.id).at(-1)).toEqual(ended);
});

test("refreshing with a forged token is refused and changes nothing", async () => {
  const session = await signIn(origin, "github", wren);
  const id = sessionIdOf(session);
  const { refresh_key: key } = await storedSession(session);
  const forgedTokens = [
    encodeRefreshToken(id, 0n, Buffer.alloc(32)),
    encodeRefreshToken(id, 1n, key), // a counter that was not issued yet
    encodeRefreshToken("6f1c2f60-52a1-4c6e-9b0e-0a4a5f3f7b11", 0n, key),
    session.access_token,
  ];
  for (const token of forgedTokens)
    expect(await errorOf(await refreshTokens(origin, token))).toEqual(notFound);
  await refreshSession(origin, session.refresh_token);
});

test("refreshing ends after 90 days without use, and 180 days after the sign-in, even in use", async () => {
  const session = await signIn(origin, "github", wren);
  const id = sessionIdOf(session);
  const beginDaysAgo = (days: number) => givenChanged(db, "sessions", { created_at: ago({ days }) }, { id });
  const daysLeft = async () =>
    Math.round(((await storedSession(session)).expires_at.getTime() - Date.now()) / 86_400_000);
  const expectExpired = async (token: string) =>
    expect(await errorOf(await refreshTokens(second.origin, token))).toEqual([400, "session_expired"]);
  expect(await daysLeft()).toBe(90);
  let token = session.refresh_token;
  for (const [age, left] of [
    [80, 90],
    [100, 80],
    [179, 1],
  ] as const) {
    await beginDaysAgo(age);
    ({ refresh_token: token } = await refreshSession(origin, token));
    expect(await daysLeft()).toBe(left);
  }
  await givenChanged(db, "sessions", { expires_at: fromNow({ days: 90 }) }, { id });
  await beginDaysAgo(180);
  await expectExpired(token);
  await beginDaysAgo(100);
  await givenChanged(db, "sessions", { expires_at: ago({ seconds: 1 }) }, { id });
  await expectExpired(token);
  expect(await isAccepted(session)).toBe(false);
});

test("refreshing during a sign-out leaves the user signed out, in either order", async () => {
  for (let round = 0; round < 5; round++) {
    const session = await signIn(origin, "github", wren);
    const [response, logout] = await Promise.all([
      refreshTokens(second.origin, session.refresh_token),
      callAuth(origin, "/logout?scope=global", { token: session.access_token }),
    ]);
    expect(logout.status).toBe(204);
    expect([200, 400]).toContain(response.status);
    expect(await isAccepted(session)).toBe(false);
    const { refresh_token = session.refresh_token } = await response.json();
    expect(await errorOf(await refreshTokens(origin, refresh_token))).toEqual(notFound);
  }
});

const invalid = [400, "validation_failed"];
test.each([
  ["without a grant type", "", {}, invalid],
  ["with an unknown grant type", "password", { email: "a", password: "b" }, invalid],
  ["without JSON", "refresh_token", "refresh_token=abc", [400, "bad_json"]],
  ["with null", "refresh_token", "null", invalid],
  ["with a number for a token", "refresh_token", { refresh_token: 7 }, invalid],
  ["without a verifier", "pkce", { auth_code: "abc" }, invalid],
  ["with an unknown code", "pkce", { auth_code: "a", code_verifier: "b" }, [404, "flow_state_not_found"]],
  ["with a body over the limit", "pkce", "a".repeat(10_000_000), [413, "request_too_large"]],
])("a token request %s is refused with the code of its error", async (_case, grant, body, expected) => {
  const path = grant && `?grant_type=${grant}`;
  expect(await errorOf(await callAuth(origin, `/token${path}`, { body }))).toEqual(expected);
});

test("of a user's sessions the 20 used last stay, even if several sign-ins end at once at two servers", async () => {
  const lark = { email: "lark@people.example" };
  const otherUser = await signIn(origin, "github", { email: "pip@people.example" });
  await backdateRefresh(otherUser, 90 * 86_400);
  const { user } = await signIn(origin, "github", lark);
  for (let hours = 1; hours < 20; hours++) {
    const times = { created_at: ago({ hours: 60 - hours }), refreshed_at: ago({ hours }) };
    await givenSession(db, { user_id: user.id, ...times });
  }
  const begun = await Promise.all(Array.from({ length: 8 }, () => signInUpToCode(origin, "github", lark)));
  const exchanged = begun.map(({ code, verifier }, index) =>
    exchangeCode(index % 2 ? second.origin : origin, code, verifier),
  );
  const sessions = await Promise.all((await Promise.all(exchanged)).map(readSession));
  expect(await Promise.all([otherUser, ...sessions].map(isAccepted))).toEqual(Array(9).fill(true));
  const stored = await storedRows(db, "sessions", ["refreshed_at", "user_id"]);
  const used = stored.filter(({ user_id }) => user_id === user.id).map(({ refreshed_at }) => refreshed_at);
  expect(used).toHaveLength(20);
  expect(Math.min(...used.map(Number))).toBeGreaterThan(ago({ hours: 11, minutes: 30 }).getTime());
});

test("a sign-in ends the browser's earlier session by any of its refresh tokens, and no other session", async () => {
  const end = async (refresh_token: string) =>
    (await callAuth(second.origin, "/logout?scope=local", { body: { refresh_token } })).status;
  const other = await signIn(origin, "github", wren);
  for (const isOlder of [true, false]) {
    const had = await signIn(origin, "github", wren);
    const { refresh_token } = await refreshSession(origin, had.refresh_token);
    for (const forged of ["x", "", encodeRefreshToken(sessionIdOf(had), 1n, Buffer.alloc(32))])
      expect([await end(forged), await isAccepted(had)]).toEqual([204, true]);
    expect(await end(isOlder ? had.refresh_token : refresh_token)).toBe(204);
    expect(await isAccepted(had)).toBe(false);
    expect(await isAccepted(other)).toBe(true);
  }
  const ended = { event: "session_ended", reason: "signed_in_again" };
  expect(securityEvents(second, other.user.id).slice(-2)).toEqual([ended, ended]);
});

test("an access token needs its session, of its own user", async () => {
  const [session, other] = await Promise.all(
    [wren, { email: "pip@people.example" }].map((person) => signIn(origin, "google", person)),
  );
  if (!session || !other) expect.fail();
  const check = async (token: string) => {
    const mine = await accountsSite.site.api("/api/reviews/mine", { Authorization: `Bearer ${token}` });
    return [...(await errorOf(await callAuth(origin, "/user", { token }))), ...(await errorOf(mine))];
  };
  expect(await check(session.access_token)).toEqual([200, undefined, 200, undefined]);
  expect(decodeJwt(session.access_token)).toMatchObject({
    iss: `${origin}/auth/v1`,
    sub: session.user.id,
    aud: "authenticated",
    email: wren.email,
    role: "authenticated",
    session_id: sessionIdOf(session),
    app_metadata: { providers: expect.arrayContaining(["google"]) },
    user_metadata: {},
    aal: "aal1",
    amr: [{ method: "oauth", provider: "google" }],
  });
  const [key = expect.fail()] = await storedRows(db, "signing_keys", ["kid", "private_key"]);
  const { kid, private_key: jwk } = key;
  const { session_id } = decodeJwt(other.access_token);
  const mixed = await new SignJWT({ ...decodeJwt(session.access_token), session_id })
    .setProtectedHeader({ alg: "ES256", kid })
    .sign(await importJWK(jwk, "ES256"));
  await givenDeleted(db, "users", { id: other.user.id });
  const ended = [403, "session_not_found", 401, "authentication_required"];
  for (const token of [mixed, other.access_token]) expect(await check(token)).toEqual(ended);
  expect(await check("x.y.z")).toEqual([403, "bad_jwt", 401, "authentication_required"]);
  const refused = [401, "no_authorization"];
  for (const Authorization of ["", session.access_token, `Basic ${session.access_token}`, "Bearer"])
    expect(await errorOf(await callAuth(origin, "/user", { headers: { Authorization } }))).toEqual(refused);
  const response = await fetch(`${origin}/auth/v1/.well-known/jwks.json`);
  expect(response.headers.get("cache-control")).toBe("public, max-age=600");
  const { x, y } = jwk;
  expect(await response.json()).toEqual({
    keys: [{ kty: "EC", crv: "P-256", x, y, kid, alg: "ES256", use: "sig" }],
  });
});

test("users see the number of their sessions, and the operator can end all of them", async () => {
  const many = { email: "many@people.example" };
  const sessions = await Promise.all([1, 2].map(() => signIn(origin, "google", many)));
  const [{ access_token: token, user } = expect.fail()] = sessions;
  const expired = await signIn(origin, "google", many);
  await givenChanged(db, "sessions", { expires_at: ago({ seconds: 1 }) }, { id: sessionIdOf(expired) });
  const count = await callAuth(origin, "/user/sessions", { token });
  expect([count.headers.get("cache-control"), await count.json()]).toEqual(["no-store", { sessions: 2 }]);
  const { code, verifier } = await signInUpToCode(origin, "github", many);
  const out = `Signed out many@people.example (${user.id}): 3 sessions and 1 sign-in under way ended.\n`;
  expect(await runAdmin(database, ["sign-out", "Many@people.example"])).toEqual({ exit: 0, out, err: "" });
  expect(await Promise.all(sessions.map(isAccepted))).toEqual([false, false]);
  expect((await exchangeCode(origin, code, verifier)).status).toBe(404);
  const details = { user_id: user.id, sessions: 3, signIns: 1 };
  expect((await auditRows(db)).at(-1)).toEqual({ action: "sign-out-user", details });
  const event = { event: "session_ended", reason: "operator" };
  for (const server of [accountsSite.site, second])
    await expect.poll(() => securityEvents(server, user.id)).toContainEqual(event);
  expect(await isAccepted(await signIn(origin, "google", many))).toBe(true);
});

test.each([
  ["", [false, false, false]],
  ["?scope=global", [false, false, false]],
  ["?scope=local", [false, true, true]],
  ["?scope=others", [true, false, false]],
])("signing out with %j leaves sessions as %j, and a begun sign-in as others", async (query, expected) => {
  const otherUser = await signIn(origin, "google", { email: "pip@people.example" });
  const three = { email: `${crypto.randomUUID()}@people.example` };
  const sessions = await Promise.all([1, 2, 3].map(() => signIn(origin, "google", three)));
  const [{ access_token: token, user } = expect.fail()] = sessions;
  const { code, verifier } = await signInUpToCode(origin, "github", three);
  const signOut = (scope: string) => callAuth(origin, `/logout${scope}`, { token });
  expect(await errorOf(await signOut("?scope=everybody"))).toEqual([400, "validation_failed"]);
  const response = await signOut(query);
  expect([response.status, await response.text()]).toEqual([204, ""]);
  const scope = query.replace("?scope=", "") || "global";
  const ended = { event: "session_ended", reason: "sign_out", scope };
  expect(securityEvents(accountsSite.site, user.id).at(-1)).toEqual(ended);
  expect(await Promise.all(sessions.map(isAccepted))).toEqual(expected);
  expect(await isAccepted(otherUser)).toBe(true);
  expect((await exchangeCode(origin, code, verifier)).status).toBe(expected[1] ? 200 : 404);
  // auth-js treats these errors as signed out.
  if (!expected[0]) expect(await errorOf(await signOut(query))).toEqual([403, "session_not_found"]);
  expect(await errorOf(await callAuth(origin, "/logout"))).toEqual([401, "no_authorization"]);
  expect(await errorOf(await callAuth(origin, "/logout", { token: "x.y.z" }))).toEqual([403, "bad_jwt"]);
});

test.each([
  ["2024-01-01", { code: "no_authorization", message: expect.any(String) }],
  ["", { code: 401, error_code: "no_authorization", msg: expect.any(String) }],
  ["2023-12-31", { code: 401, error_code: "no_authorization", msg: expect.any(String) }],
  ["latest", { code: 401, error_code: "no_authorization", msg: expect.any(String) }],
])("an error has the form of the API version %j, which is echoed if it is known", async (version, body) => {
  const response = await callAuth(origin, "/user", { headers: { "X-Supabase-Api-Version": version } });
  expect(response.headers.get("x-supabase-api-version")).toBe("message" in body ? version : null);
  expect(await response.json()).toEqual(body);
});

test("all but /health require the client key, and /settings names the configured providers", async () => {
  const refused = [401, "invalid_client_key"];
  for (const path of ["/user", "/settings", "/token", "/logout", "/nothing"])
    for (const apikey of ["", "wrong"])
      expect(await errorOf(await callAuth(origin, path, { headers: { apikey } }))).toEqual(refused);
  const health = await (await fetch(`${origin}/auth/v1/health`)).json();
  expect(health).toMatchObject({ version: expect.any(String) });
  const external = { google: true, github: true };
  expect(await (await callAuth(origin, "/settings")).json()).toMatchObject({ external });
});

test("a new server refreshes more sessions at once than it has database connections", async () => {
  const people = Array.from({ length: 12 }, (_, index) => ({ email: `rush-${index}@people.example` }));
  const sessions = await Promise.all(people.map((person) => signIn(origin, "github", person)));
  const { origin: fresh } = await openTestSite(accountsSite.variables);
  const responses = await Promise.all(
    sessions.map(({ refresh_token }) => refreshTokens(fresh, refresh_token)),
  );
  expect(responses.map(({ status }) => status)).toEqual(people.map(() => 200));
});
