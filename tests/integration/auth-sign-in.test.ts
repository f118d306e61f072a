import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { deleteUser } from "../../src/accounts/end-account.server.ts";
import { type Provider, providers } from "../../src/auth/session.ts";
import { createSignInStates } from "../../src/auth/tokens/sign-in-state.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import {
  callAuth,
  exchangeCode,
  fetchWithoutRedirect,
  openState,
  readSession,
  redirectTarget,
  returnedCode,
  signIn,
  signInUpToCallback,
  startSignIn,
  statusAndCode,
  withOlderState,
} from "../support/accounts.ts";
import { givenChanged, givenNone, givenUser } from "../support/given.ts";
import { createTestDatabase } from "../support/postgres.ts";
import type { ProviderChoice } from "../support/provider-sign-in.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { countAccountRows, noAccountRows, storedRows, storedTexts } from "../support/stored.ts";

// How identities find their users is in `auth-linking.test.ts`, and how repeated callbacks end in
// `auth-repeated-callback.test.ts`.

const wren = { email: "Wren@people.example" };

const database = await setUpDatabase();
const { db } = database;
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
beforeEach(() => givenNone(db, "users", "sign_ins"));

const stored = () => countAccountRows(db);

const reachCallback = (provider: Provider, choice: ProviderChoice = wren, more = {}) =>
  signInUpToCallback(origin, provider, choice, more);

/** The error with which a callback, or another URL, leads back to the site, in query and fragment. */
async function errorOf(url: string) {
  const { searchParams, hash } = await redirectTarget(url);
  const inQuery = Object.fromEntries(searchParams);
  expect(Object.fromEntries(new URLSearchParams(hash.slice(1)))).toEqual(
    Object.fromEntries(Object.entries(inQuery).filter(([name]) => name.startsWith("error"))),
  );
  return inQuery;
}

/** A callback with other parameters. */
function changed(callback: string, parameters: Record<string, string | null>): string {
  const url = new URL(callback);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

const stateOf = (callback: string) => new URL(callback).searchParams.get("state") ?? "";

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

  test("a person who signs in again is the same user", async () => {
    const first = await signIn(origin, provider, wren);
    const second = await signIn(origin, provider, wren);
    expect(second.user.id).toBe(first.user.id);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await stored()).toEqual({ users: 1, identities: 1, sessions: 2, waiting: 0 });
  });

  test("denied consent returns the provider's error description", async () => {
    const { callback } = await reachCallback(provider, "deny", { redirect_to: `${origin}/?page=2` });
    expect(await errorOf(callback)).toMatchObject({
      page: "2",
      error: "access_denied",
      error_code: "access_denied",
      error_description: new URL(callback).searchParams.get("error_description"),
    });
    expect(await stored()).toEqual(noAccountRows);
  });

  test.each([null, "", "interaction_required", "login-required", "AADSTS65004:", "\u0007denied"])(
    "a refusal whose description is %j says nothing in place of words",
    async (error_description) => {
      const { callback } = await reachCallback(provider, "deny");
      const refused = changed(callback, { error: "denied", error_description });
      expect(await errorOf(refused)).toEqual({ error: "denied", error_code: "denied" });
    },
  );

  test("a failure at the provider returns its error", async () => {
    const { callback } = await reachCallback(provider, "fail");
    expect((await errorOf(callback)).error).toBe(new URL(callback).searchParams.get("error"));
    expect(await stored()).toEqual(noAccountRows);
  });
});

describe("the state", () => {
  const badState = { error: "invalid_request", error_code: "bad_oauth_state" };

  test.each([
    ["missing", ""],
    ["empty", "?state=&code=x"],
    ["unknown", `?code=x&state=${randomBytes(32).toString("base64url")}`],
    ["with a NUL", "?code=x&state=%00"],
    ["very long", `?code=x&state=${"a".repeat(2_000)}`],
  ])("%s is refused", async (_case, query) => {
    const response = await fetchWithoutRedirect(`${origin}/auth/v1/callback${query}`);
    expect(response.status).toBe(303);
    const url = new URL(response.headers.get("location") ?? "");
    expect([url.origin, url.pathname]).toEqual([origin, "/"]);
    expect(Object.fromEntries(url.searchParams)).toMatchObject(badState);
  });

  test("works once when sent many times concurrently with different codes", async () => {
    const { callback } = await reachCallback("github");
    const attempts = Array.from({ length: 8 }, (_, attempt) => `${callback}&attempt=${attempt}`);
    const returns = (await Promise.all(attempts.map(redirectTarget))).map(({ searchParams }) => searchParams);
    expect(returns.filter((query) => query.has("code"))).toHaveLength(1);
    expect(returns.filter((query) => query.get("error_code") === "bad_oauth_state")).toHaveLength(7);
  });

  test.each([360, 890])("is good after %i seconds", async (age) => {
    const { callback, verifier } = await reachCallback("github");
    const code = await returnedCode(await withOlderState(db, callback, age));
    expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
  });

  test.each([900, 3 * 86_400])("is refused after %i seconds, with the reason", async (age) => {
    const { callback } = await reachCallback("google");
    expect(await errorOf(await withOlderState(db, callback, age))).toMatchObject({
      ...badState,
      error_description: "Signing in took too long. Please press the button again.",
    });
    expect(await stored()).toEqual(noAccountRows);
  });

  test("works once in any spelling, also after its code was exchanged or its sign-in failed", async () => {
    const { callback, verifier } = await reachCallback("github");
    expect((await exchangeCode(origin, await returnedCode(callback), verifier)).status).toBe(200);
    const failing = await reachCallback("github", { email: "pip@people.example", verified: false });
    expect((await errorOf(failing.callback)).error).toBe("access_denied");
    for (const used of [callback, failing.callback]) {
      expect(await errorOf(`${used}&again=1`)).toMatchObject(badState);
      // The last two bits of a state's tag are spare: another letter there is the same state.
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      const state = stateOf(used);
      const last = letters.indexOf(state.at(-1) ?? "");
      const respelled = changed(used, { state: state.slice(0, -1) + letters[last ^ 1] });
      expect(await openState(db, respelled)).toEqual(await openState(db, used));
      expect(await errorOf(respelled)).toMatchObject(badState);
    }
    expect(await stored()).toEqual({ users: 1, identities: 1, sessions: 1, waiting: 0 });
  });

  test("of another site, cut short or changed is refused, and nothing is asked of the provider", async () => {
    const { callback } = await reachCallback("github");
    const foreign = await createTestDatabase();
    const ofOtherSite = await createSignInStates(createSigningKeys(foreign.db)).seal(
      await openState(db, callback),
    );
    await foreign.close();
    const state = stateOf(callback);
    const asked = accountsSite.github.requests.length;
    for (const forged of [
      ofOtherSite,
      state.slice(0, -1),
      state.replace(/\.[\w-]+$/, ""),
      state.replace(/(.)\.([\w-]+)$/, (_all, last) => `${last === "A" ? "B" : "A"}.${"A".repeat(22)}`),
      [ofOtherSite.split(".")[0], ...state.split(".").slice(1)].join("."),
    ])
      expect(await errorOf(changed(callback, { state: forged }))).toMatchObject(badState);
    expect(accountsSite.github.requests.length).toBe(asked);
    await returnedCode(callback);
  });

  test("of one provider is refused in the callback of another", async () => {
    const google = await reachCallback("google");
    const github = await reachCallback("github", { email: "mallory@people.example" });
    const mixed = changed(google.callback, { state: stateOf(github.callback) });
    expect(await errorOf(mixed)).toMatchObject({ error: "server_error" });
    expect(await stored()).toEqual(noAccountRows);
  });

  test("is refused with another issuer in iss", async () => {
    const { callback } = await reachCallback("google");
    const confused = changed(callback, { iss: "https://evil.example" });
    expect(await errorOf(confused)).toMatchObject({ error: "server_error" });
    expect(await stored()).toEqual(noAccountRows);
  });
});

describe("the code", () => {
  async function returnWithCode() {
    const { callback, verifier } = await reachCallback("google");
    return { code: await returnedCode(callback), verifier };
  }
  const exchange = async (code: string, verifier: string) =>
    statusAndCode(await exchangeCode(origin, code, verifier));

  test("works once, also under concurrent exchanges", async () => {
    const { code, verifier } = await returnWithCode();
    const responses = await Promise.all(Array.from({ length: 8 }, () => exchange(code, verifier)));
    expect(responses.map(([status]) => status).toSorted()).toEqual([200, ...Array(7).fill(404)]);
    expect(await exchange(code, verifier)).toEqual([404, "flow_state_not_found"]);
    expect(await stored()).toMatchObject({ sessions: 1 });
  });

  test("needs its verifier, and survives attempts with another", async () => {
    const { code, verifier } = await returnWithCode();
    for (const other of [startSignIn(origin, "google").verifier, ""])
      expect(await exchange(code, other)).toEqual([400, "bad_code_verifier"]);
    expect(await stored()).toMatchObject({ sessions: 0, waiting: 1 });
    expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
  });

  test("expires with its sign-in", async () => {
    const { code, verifier } = await returnWithCode();
    await givenChanged(db, "sign_ins", { expires_at: new Date() });
    expect(await exchange(code, verifier)).toEqual([422, "flow_state_expired"]);
    expect(await stored()).toMatchObject({ sessions: 0 });
  });

  test("is not stored in plain text, nor is the refresh token", async () => {
    const { code, verifier } = await returnWithCode();
    expect((await storedTexts(db, "sign_ins"))[0]).not.toContain(code);
    const session = await readSession(await exchangeCode(origin, code, verifier));
    expect((await storedTexts(db, "sessions"))[0]).not.toContain(session.refresh_token);
  });
});

test("a sign-in that failed because the database was slow is not stored later", async () => {
  const { callback } = await reachCallback("google", { email: "slow@people.example" });
  const { callback: returned, verifier } = await reachCallback("github");
  const code = await returnedCode(returned);
  const [error, exchanged] = await db.transaction().execute(async (trx) => {
    await sql`lock table users, sessions in access exclusive mode`.execute(trx);
    return Promise.all([errorOf(callback), exchangeCode(origin, code, verifier)]);
  });
  expect([error.error, exchanged.status]).toEqual(["server_error", 503]);
  expect(await stored()).toMatchObject({ users: 1, sessions: 0 });
  expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
});

test("deleting a user during their sign-ins breaks neither, and a last deletion leaves no rows", async () => {
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

test("HEAD requests are refused and consume no state", async () => {
  const { callback } = await reachCallback("google");
  for (const url of [callback, startSignIn(origin, "google").url]) {
    const { status, headers } = await fetch(url, { method: "HEAD", redirect: "manual" });
    expect([status, headers.get("allow")]).toEqual([405, "GET"]);
  }
  await returnedCode(callback);
  expect(await stored()).toMatchObject({ waiting: 1 });
});

describe("/authorize", () => {
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
  ])("%s is refused with 400", async (_case, parameters) => {
    const response = await fetchWithoutRedirect(startSignIn(origin, "google", parameters).url);
    expect(response.status).toBe(400);
    const body = { code: 400, error_code: "validation_failed", msg: expect.any(String) };
    expect(await response.json()).toEqual(body);
  });

  const reserved =
    "client_id Client_ID STATE state response_type redirect_uri Redirect_Uri NONCE scope scopes code_challenge_Method";

  test.each(providers)(
    "%s gets the required parameters, and of the client's only the allowed ones",
    async (provider) => {
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
    },
  );

  test("sign-ins that begin differ in state, nonce and challenge, and nothing of them is stored", async () => {
    const begun = await Promise.all(
      Array.from({ length: 20 }, () => redirectTarget(startSignIn(origin, "google").url)),
    );
    for (const name of ["state", "nonce", "code_challenge"])
      expect(new Set(begun.map(({ searchParams }) => searchParams.get(name))).size).toBe(20);
    expect(await stored()).toEqual(noAccountRows);
  });

  test("neither forged forwarding headers nor redirect_to lead away from the site", async () => {
    const headers = {
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
      Forwarded: "host=evil.example",
    };
    const locationOf = async (url: string) => {
      const response = await fetch(url, { redirect: "manual", headers });
      return response.headers.get("location") ?? "";
    };
    const location = await locationOf(
      startSignIn(origin, "google", { redirect_to: "https://evil.example/" }).url,
    );
    expect(new URL(location).searchParams.get("redirect_uri")).toBe(`${origin}/auth/v1/callback`);
    expect((await openState(db, location)).redirectTo).toBe(`${origin}/`);
    expect(new URL(await locationOf(`${origin}/auth/v1/callback?state=x`)).origin).toBe(origin);
  });
});

describe("linking identities to users (docs/product.md §6.9)", () => {
  const userIdOf = async (provider: Provider, email: string) =>
    (await signIn(origin, provider, { email })).user.id;

  test("the same verified e-mail at both providers, compared without case, is one user with two identities", async () => {
    const google = await signIn(origin, "google", wren);
    const github = await signIn(origin, "github", { email: "WREN@people.example" });
    expect(github.user.id).toBe(google.user.id);
    expect(github.user).toMatchObject({
      app_metadata: { provider: "google", providers: ["google", "github"] },
    });
    expect(await stored()).toMatchObject({ users: 1, identities: 2 });
  });

  test("a user with an unconfirmed e-mail is not linked to a person with this e-mail", async () => {
    const unconfirmed = await givenUser(db, wren);
    expect(await userIdOf("google", wren.email)).not.toBe(unconfirmed);
  });

  test.each([
    ["the Kelvin sign", "mi\u212ae@people.example", "mike@people.example"],
    ["a dotted capital i", "\u0130da@people.example", "ida@people.example"],
    ["an accent in the other case", "zo\u00cb@people.example", "zo\u00eb@people.example"],
    ["another form of the same accent", "zoe\u0308@people.example", "zo\u00eb@people.example"],
  ])("%s makes it another e-mail, because only ASCII letters are folded", async (_case, first, other) => {
    expect(await userIdOf("google", first)).not.toBe(await userIdOf("github", other));
  });

  test("a new name at the provider, verified or not, is the user's e-mail only if it is verified", async () => {
    const { faults } = accountsSite.google;
    const id = await userIdOf("google", "old@people.example");
    const rename = async (email: string, email_verified: boolean) => {
      faults.tamper = (claims) => ({ ...claims, email, email_verified });
      const { user } = await signIn(origin, "google", { email: "old@people.example" });
      faults.tamper = (claims) => claims;
      return user;
    };
    expect(await rename("boss@people.example", false)).toMatchObject({ id, email: "old@people.example" });
    expect(await rename("new@people.example", true)).toMatchObject({ id, email: "new@people.example" });
  });

  test("concurrent first sign-ins at both providers make one user", async () => {
    for (let round = 0; round < 5; round++) {
      const email = `twin-${round}@people.example`;
      const ids = await Promise.all(
        [...providers, ...providers].map((provider) => userIdOf(provider, email)),
      );
      expect(new Set(ids).size).toBe(1);
    }
  });
});
