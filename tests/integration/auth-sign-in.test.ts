import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { pino } from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { accountRoutes } from "../../src/accounts/account-routes.server.ts";
import { deleteUser } from "../../src/accounts/end-account.server.ts";
import { createAuthApi } from "../../src/auth/api/auth-api.server.ts";
import { type Provider, providers } from "../../src/auth/session.ts";
import { createSignInStates } from "../../src/auth/tokens/sign-in-state.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import { parseConfig } from "../../src/config/environment.server.ts";
import {
  callAuth,
  exchangeCode,
  fetchWithoutRedirect,
  openState,
  readSession,
  redirectTarget,
  signIn,
  signInUpToCallback,
  startSignIn,
  withOlderState,
} from "../support/accounts.ts";
import { givenChanged, givenEarlier, givenNone, givenUser } from "../support/given.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { countAccountRows, noAccountRows, storedRows, storedTexts } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
beforeEach(() => givenNone(db, "users", "sign_ins"));

const stored = () => countAccountRows(db);

function errorOf(url: URL) {
  const inQuery = Object.fromEntries(url.searchParams);
  expect(Object.fromEntries(new URLSearchParams(url.hash.slice(1)))).toEqual(
    Object.fromEntries(Object.entries(inQuery).filter(([name]) => name.startsWith("error"))),
  );
  return inQuery;
}

describe.each(providers)("with %s", (provider) => {
  test("a user signs in, and the session names the user", async () => {
    const { callback, verifier } = await signInUpToCallback(origin, provider, {
      email: "Wren@people.example",
    });
    const response = await fetchWithoutRedirect(callback);
    expect(response.status).toBe(302);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const back = new URL(response.headers.get("location") ?? "");
    expect([back.origin, back.pathname, ...back.searchParams.keys()]).toEqual([origin, "/", "code"]);

    const session = await readSession(
      await exchangeCode(origin, back.searchParams.get("code") ?? "", verifier),
    );
    expect(session.user).toMatchObject({
      aud: "authenticated",
      role: "authenticated",
      email: "Wren@people.example",
      phone: "",
      is_anonymous: false,
      app_metadata: { provider, providers: [provider] },
      identities: [{ provider, email: "Wren@people.example", user_id: session.user.id }],
    });
    expect(await (await callAuth(origin, "/user", { token: session.access_token })).json()).toEqual(
      session.user,
    );
    expect(await stored()).toEqual({ users: 1, identities: 1, sessions: 1, waiting: 0 });
  });

  test("a person who signs in again is the same user", async () => {
    const first = await signIn(origin, provider, { email: "wren@people.example" });
    const second = await signIn(origin, provider, { email: "wren@people.example" });
    expect(second.user.id).toBe(first.user.id);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await stored()).toEqual({ users: 1, identities: 1, sessions: 2, waiting: 0 });
  });

  test("a new person without a verified e-mail is refused with a reason", async () => {
    const { callback } = await signInUpToCallback(origin, provider, {
      email: "wren@people.example",
      verified: false,
    });
    expect(errorOf(await redirectTarget(callback))).toMatchObject({
      error: "access_denied",
      error_code: "provider_email_needs_verification",
      error_description: expect.stringContaining("has not verified your e-mail"),
    });
    expect(await stored()).toEqual(noAccountRows);
  });

  test("denied consent returns the provider's error description", async () => {
    const { callback } = await signInUpToCallback(origin, provider, "deny", {
      redirect_to: `${origin}/?page=2`,
    });
    expect(errorOf(await redirectTarget(callback))).toMatchObject({
      page: "2",
      error: "access_denied",
      error_code: "access_denied",
      error_description: new URL(callback).searchParams.get("error_description"),
    });
    expect(await stored()).toEqual(noAccountRows);
  });

  test.each([null, "", "interaction_required", "login-required", "AADSTS65004:", "\u0007denied"])(
    "a refusal whose description is %j says nothing in place of words",
    async (description) => {
      const { callback } = await signInUpToCallback(origin, provider, "deny");
      const refused = new URL(callback);
      refused.searchParams.set("error", "denied");
      if (description === null) refused.searchParams.delete("error_description");
      else refused.searchParams.set("error_description", description);
      expect(errorOf(await redirectTarget(refused.href))).toEqual({ error: "denied", error_code: "denied" });
    },
  );

  test("a failure at the provider returns its error", async () => {
    const { callback } = await signInUpToCallback(origin, provider, "fail");
    expect(errorOf(await redirectTarget(callback)).error).toBe(new URL(callback).searchParams.get("error"));
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
    ["very long", `?code=x&state=${"a".repeat(8_000)}`],
  ])("%s is refused", async (_case, query) => {
    const response = await fetchWithoutRedirect(`${origin}/auth/v1/callback${query}`);
    expect(response.status).toBe(303);
    const url = new URL(response.headers.get("location") ?? "");
    expect([url.origin, url.pathname]).toEqual([origin, "/"]);
    expect(errorOf(url)).toMatchObject(badState);
  });

  test("works once, except that the same callback gets the same result for a minute", async () => {
    const { callback } = await signInUpToCallback(origin, "google", { email: "wren@people.example" });
    const first = await redirectTarget(callback);
    expect(first.searchParams.has("code")).toBe(true);
    expect((await redirectTarget(callback)).href).toBe(first.href);
    expect(errorOf(await redirectTarget(callback.replace("code=", "code=x")))).toMatchObject(badState);
    await givenEarlier(db, "sign_ins", ["returned_at"], { seconds: 61 });
    expect(errorOf(await redirectTarget(callback))).toMatchObject(badState);
    expect(await stored()).toMatchObject({ users: 1, sessions: 0 });
  });

  test("works once when sent many times concurrently with different codes", async () => {
    const { callback } = await signInUpToCallback(origin, "github", { email: "wren@people.example" });
    const callbacks = Array.from({ length: 8 }, (_, index) => `${callback}&attempt=${index}`);
    const returns = await Promise.all(callbacks.map(redirectTarget));
    expect(returns.filter((url) => url.searchParams.has("code"))).toHaveLength(1);
    expect(returns.filter((url) => url.searchParams.get("error_code") === "bad_oauth_state")).toHaveLength(7);
  });

  test.each([360, 890])("is good after %i seconds", async (age) => {
    const { callback, verifier } = await signInUpToCallback(origin, "github", {
      email: "wren@people.example",
    });
    const late = await withOlderState(db, callback, age);
    const code = (await redirectTarget(late)).searchParams.get("code") ?? "";
    expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
  });

  test.each([900, 3 * 86_400])("is refused after %i seconds, with the reason", async (age) => {
    const { callback } = await signInUpToCallback(origin, "google", { email: "wren@people.example" });
    expect(errorOf(await redirectTarget(await withOlderState(db, callback, age)))).toMatchObject({
      ...badState,
      error_description: "Signing in took too long. Please press the button again.",
    });
    expect(await stored()).toMatchObject({ users: 0 });
  });

  test("works once in any spelling, also after its code was exchanged or its sign-in failed", async () => {
    const { callback, verifier } = await signInUpToCallback(origin, "github", {
      email: "wren@people.example",
    });
    const code = (await redirectTarget(callback)).searchParams.get("code") ?? "";
    expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
    const failing = await signInUpToCallback(origin, "github", {
      email: "pip@people.example",
      verified: false,
    });
    expect((await redirectTarget(failing.callback)).searchParams.get("error")).toBe("access_denied");
    for (const used of [callback, failing.callback]) {
      expect(errorOf(await redirectTarget(`${used}&again=1`))).toMatchObject(badState);
      // The last two bits of a state's tag are spare: another letter there is the same state.
      const respelled = new URL(used);
      const state = respelled.searchParams.get("state") ?? "";
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      const last = letters.indexOf(state.at(-1) ?? "");
      respelled.searchParams.set("state", state.slice(0, -1) + letters[last ^ 1]);
      expect(await openState(db, respelled.href)).toEqual(await openState(db, used));
      expect(errorOf(await redirectTarget(respelled.href))).toMatchObject(badState);
    }
    expect(await stored()).toEqual({ users: 1, identities: 1, sessions: 1, waiting: 0 });
  });

  test("of another site, cut short or changed is refused, and nothing is asked of the provider", async () => {
    const { callback } = await signInUpToCallback(origin, "github", { email: "wren@people.example" });
    const signIn = await openState(db, callback);
    const foreign = await createTestDatabase();
    const ofOtherSite = await createSignInStates(createSigningKeys(foreign.db)).seal(signIn);
    await foreign.close();
    const state = new URL(callback).searchParams.get("state") ?? "";
    const asked = accountsSite.github.requests.length;
    for (const forged of [
      ofOtherSite,
      state.slice(0, -1),
      state.replace(/\.[\w-]+$/, ""),
      state.replace(/(.)\.([\w-]+)$/, (_all, last) => `${last === "A" ? "B" : "A"}.${"A".repeat(22)}`),
      [ofOtherSite.split(".")[0], ...state.split(".").slice(1)].join("."),
    ]) {
      const url = new URL(callback);
      url.searchParams.set("state", forged);
      expect(errorOf(await redirectTarget(url.href))).toMatchObject(badState);
    }
    expect(accountsSite.github.requests.length).toBe(asked);
    expect((await redirectTarget(callback)).searchParams.has("code")).toBe(true);
  });

  test("of a sign-in is good while others begin 1,000, which store nothing", async () => {
    const { callback, verifier } = await signInUpToCallback(origin, "google", {
      email: "wren@people.example",
    });
    const { routes } = createAuthApi({
      db,
      signingKeys: createSigningKeys(db),
      ...parseConfig({ ...accountsSite.variables, ORIGIN: origin }),
      requireKey: (_, next) => next(),
      accountRoutes,
      recordSignIn: () => {},
      countSignIn: () => 0,
      countCall: () => 0,
      log: pino({ level: "silent" }),
    });
    const connInfo = { incoming: { socket: {}, headers: {} } };
    const { pathname, search } = new URL(startSignIn(origin, "github").url);
    const path = pathname.slice("/auth/v1".length) + search;
    const begun = new Set<string | null>();
    for (let count = 0; count < 1_000; count++) {
      const { headers } = await routes.request(path, {}, connInfo);
      begun.add(new URL(headers.get("location") ?? "").searchParams.get("state"));
    }
    expect(begun.size).toBe(1_000);
    expect(await stored()).toEqual(noAccountRows);
    const code = (await redirectTarget(callback)).searchParams.get("code") ?? "";
    expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
  });

  test("of one provider is refused in the callback of another", async () => {
    const google = await signInUpToCallback(origin, "google", { email: "wren@people.example" });
    const github = await signInUpToCallback(origin, "github", { email: "mallory@people.example" });
    const mixed = new URL(google.callback);
    mixed.searchParams.set("state", new URL(github.callback).searchParams.get("state") ?? "");
    expect(errorOf(await redirectTarget(mixed.href))).toMatchObject({ error: "server_error" });
    expect(await stored()).toMatchObject({ users: 0 });
  });

  test("is refused with another issuer in iss", async () => {
    const { callback } = await signInUpToCallback(origin, "google", { email: "wren@people.example" });
    const confused = new URL(callback);
    confused.searchParams.set("iss", "https://evil.example");
    expect(errorOf(await redirectTarget(confused.href))).toMatchObject({ error: "server_error" });
    expect(await stored()).toEqual(noAccountRows);
  });
});

describe("the code", () => {
  async function returnWithCode() {
    const { callback, verifier } = await signInUpToCallback(origin, "google", {
      email: "wren@people.example",
    });
    return { code: (await redirectTarget(callback)).searchParams.get("code") ?? "", verifier };
  }
  const statusAndCode = async (response: Response) => [response.status, (await response.json()).code];

  test("works once", async () => {
    const { code, verifier } = await returnWithCode();
    expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
    expect(await statusAndCode(await exchangeCode(origin, code, verifier))).toEqual([
      404,
      "flow_state_not_found",
    ]);
    expect(await stored()).toMatchObject({ sessions: 1 });
  });

  test("works once under concurrent exchanges", async () => {
    const { code, verifier } = await returnWithCode();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => exchangeCode(origin, code, verifier)),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(404)]);
    expect(await stored()).toMatchObject({ sessions: 1 });
  });

  test("needs its verifier, and survives attempts with another", async () => {
    const { code, verifier } = await returnWithCode();
    const otherVerifier = startSignIn(origin, "google").verifier;
    expect(await statusAndCode(await exchangeCode(origin, code, otherVerifier))).toEqual([
      400,
      "bad_code_verifier",
    ]);
    expect(await statusAndCode(await exchangeCode(origin, code, ""))).toEqual([400, "bad_code_verifier"]);
    expect(await stored()).toMatchObject({ sessions: 0, waiting: 1 });
    expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
  });

  test("expires with its sign-in", async () => {
    const { code, verifier } = await returnWithCode();
    await givenChanged(db, "sign_ins", { expires_at: new Date() });
    expect(await statusAndCode(await exchangeCode(origin, code, verifier))).toEqual([
      422,
      "flow_state_expired",
    ]);
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
  const { callback } = await signInUpToCallback(origin, "google", { email: "slow@people.example" });
  const { callback: returned, verifier } = await signInUpToCallback(origin, "github", {
    email: "known@people.example",
  });
  const code = (await redirectTarget(returned)).searchParams.get("code") ?? "";
  const failures = await db.transaction().execute(async (trx) => {
    await sql`lock table users, sessions in access exclusive mode`.execute(trx);
    return Promise.all([redirectTarget(callback), exchangeCode(origin, code, verifier)]);
  });
  expect(errorOf(failures[0])).toMatchObject({ error: "server_error" });
  expect(failures[1].status).toBe(503);
  expect(await stored()).toMatchObject({ users: 1, sessions: 0 });
  expect((await exchangeCode(origin, code, verifier)).status).toBe(200);
});

test("deleting a user during their sign-ins breaks neither, and a last deletion leaves no rows", async () => {
  const person = { email: "racing@people.example" };
  for (let round = 0; round < 4; round++) {
    const before = await signIn(origin, "google", person);
    await Promise.all([
      deleteUser(db, before.user.id),
      signIn(origin, "google", person).catch((error: Error) =>
        expect(error.message).toContain("flow_state_not_found"),
      ),
      signIn(origin, "github", person).catch((error: Error) =>
        expect(error.message).toContain("flow_state_not_found"),
      ),
    ]);
  }
  for (const { id } of await storedRows(db, "users", ["id"])) await deleteUser(db, id);
  expect(await stored()).toMatchObject({ users: 0, identities: 0, sessions: 0 });
});

test("HEAD requests are refused and consume no state", async () => {
  const { callback } = await signInUpToCallback(origin, "google", { email: "wren@people.example" });
  for (const url of [callback, startSignIn(origin, "google").url]) {
    const { status, headers } = await fetch(url, { method: "HEAD", redirect: "manual" });
    expect([status, headers.get("allow")]).toEqual([405, "GET"]);
  }
  expect((await redirectTarget(callback)).searchParams.has("code")).toBe(true);
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
  ])("%s is refused with 400, and nothing is stored", async (_case, parameters) => {
    const response = await fetchWithoutRedirect(startSignIn(origin, "google", parameters).url);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      code: 400,
      error_code: "validation_failed",
      msg: expect.any(String),
    });
    expect(await stored()).toEqual(noAccountRows);
  });

  test.each(providers)(
    "%s gets the required parameters, and of the client's only the allowed ones",
    async (provider) => {
      const reserved = [
        "client_id",
        "Client_ID",
        "STATE",
        "state",
        "response_type",
        "redirect_uri",
        "Redirect_Uri",
        "NONCE",
        "scope",
        "scopes",
        "code_challenge_Method",
      ];
      const parameters = Object.fromEntries(reserved.map((name) => [name, "evil"]));
      const url = await redirectTarget(
        startSignIn(origin, provider, { ...parameters, prompt: "select_account", login_hint: "a@b.example" })
          .url,
      );
      const params = Object.fromEntries(url.searchParams);
      expect(JSON.stringify(params)).not.toContain("evil");
      expect(params).toMatchObject({
        client_id: accountsSite[provider].clientId,
        redirect_uri: `${origin}/auth/v1/callback`,
        response_type: "code",
        scope: provider === "google" ? "openid email" : "user:email",
        code_challenge_method: "S256",
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/),
        prompt: "select_account",
        login_hint: "a@b.example",
      });
      expect("nonce" in params).toBe(provider === "google");
    },
  );

  test("two sign-ins have different state, nonce and challenge", async () => {
    const [first, other] = await Promise.all(
      [1, 2].map(() => redirectTarget(startSignIn(origin, "google").url)),
    );
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(first?.searchParams.get(name)).not.toBe(other?.searchParams.get(name));
    }
  });

  test("forged forwarding headers change no address", async () => {
    const headers = {
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
      Forwarded: "host=evil.example",
    };
    const response = await fetch(
      startSignIn(origin, "google", { redirect_to: "https://evil.example/" }).url,
      {
        redirect: "manual",
        headers,
      },
    );
    const location = response.headers.get("location") ?? "";
    expect(new URL(location).searchParams.get("redirect_uri")).toBe(`${origin}/auth/v1/callback`);
    expect((await openState(db, location)).redirectTo).toBe(`${origin}/`);
    const refused = await fetch(`${origin}/auth/v1/callback?state=x`, { redirect: "manual", headers });
    expect(new URL(refused.headers.get("location") ?? "").origin).toBe(origin);
  });

  test.each([
    [(o: string) => `${o}.evil.example/`, "/"],
    [(o: string) => `${o}@evil.example/`, "/"],
    [(o: string) => `http://evil.example/#${o}/`, "/"],
    [(o: string) => `http://evil.example/?${o}/`, "/"],
    [(o: string) => `${o}\\@evil.example/`, "/"],
    [(o: string) => o.replace("http:", "https:"), "/"],
    [(o: string) => o.replace(/\d+$/, "1"), "/"],
    [() => "http://2130706433:9/", "/"],
    [() => "http:///evil.example/", "/"],
    [(o: string) => `${o}/?search=${"a".repeat(2_000)}`, "/"],
    [(o: string) => `${o}/?search=cats`, "/?search=cats"],
  ])(
    "a sign-in redirects to the site only, whatever redirect_to says (%#)",
    async (redirectFor, expected) => {
      const { callback } = await signInUpToCallback(
        origin,
        "google",
        { email: "wren@people.example" },
        { redirect_to: redirectFor(origin) },
      );
      const url = await redirectTarget(callback);
      url.searchParams.delete("code");
      expect(url.href).toBe(origin + expected);
    },
  );
});

describe("linking identities to users (docs/product.md §6.9)", () => {
  const userIdOf = async (provider: Provider, email: string) =>
    (await signIn(origin, provider, { email })).user.id;

  test("the same verified e-mail at both providers, compared without case, is one user with two identities", async () => {
    const google = await signIn(origin, "google", { email: "wren@people.example" });
    const github = await signIn(origin, "github", { email: "WREN@people.example" });
    expect(github.user.id).toBe(google.user.id);
    expect(github.user).toMatchObject({
      app_metadata: { provider: "google", providers: ["google", "github"] },
    });
    expect(await stored()).toMatchObject({ users: 1, identities: 2 });
  });

  test("different e-mails are different users", async () => {
    expect(await userIdOf("google", "wren@people.example")).not.toBe(
      await userIdOf("github", "pip@people.example"),
    );
  });

  test("an unverified e-mail at the second provider does not sign in its owner at the first", async () => {
    await userIdOf("google", "wren@people.example");
    const { callback } = await signInUpToCallback(origin, "github", {
      email: "wren@people.example",
      verified: false,
    });
    expect((await redirectTarget(callback)).searchParams.get("error_code")).toBe(
      "provider_email_needs_verification",
    );
    expect(await stored()).toMatchObject({ users: 1, identities: 1 });
  });

  test("a user with an unconfirmed e-mail is not linked to a person with this e-mail", async () => {
    const unconfirmed = await givenUser(db, { email: "wren@people.example" });
    expect(await userIdOf("google", "wren@people.example")).not.toBe(unconfirmed);
  });

  test.each([
    ["the Kelvin sign", "mi\u212ae@people.example", "mike@people.example"],
    ["a dotted capital i", "\u0130da@people.example", "ida@people.example"],
    ["an accent in the other case", "zo\u00cb@people.example", "zo\u00eb@people.example"],
    ["another form of the same accent", "zoe\u0308@people.example", "zo\u00eb@people.example"],
  ])("%s makes it another e-mail, because only ASCII letters are folded", async (_case, first, other) => {
    expect(await userIdOf("google", first)).not.toBe(await userIdOf("github", other));
  });

  test("an e-mail that no provider vouches for any more links no identity", async () => {
    const ada = await userIdOf("google", "ada@people.example");
    accountsSite.google.faults.tamper = (claims) => ({ ...claims, email_verified: false });
    await signIn(origin, "google", { email: "ada@people.example" });
    accountsSite.google.faults.tamper = (claims) => claims;
    expect(await userIdOf("github", "ada@people.example")).not.toBe(ada);

    const bea = await userIdOf("google", "bea@people.example");
    await userIdOf("google", "cat@people.example");
    accountsSite.google.faults.tamper = (claims) => ({ ...claims, email: "cat@people.example" });
    await signIn(origin, "google", { email: "bea@people.example" });
    accountsSite.google.faults.tamper = (claims) => claims;
    expect(await userIdOf("github", "bea@people.example")).not.toBe(bea);
  });

  test("an e-mail that one of two providers still vouches for stays confirmed", async () => {
    const id = await userIdOf("google", "ada@people.example");
    await userIdOf("github", "ada@people.example");
    accountsSite.google.faults.tamper = (claims) => ({ ...claims, email_verified: false });
    await signIn(origin, "google", { email: "ada@people.example" });
    accountsSite.google.faults.tamper = (claims) => claims;
    expect(await storedRows(db, "users", ["id", "email_confirmed_at"])).toEqual([
      { id, email_confirmed_at: expect.any(Date) },
    ]);
  });

  test("the e-mail follows the provider's, unless another user has it", async () => {
    const id = await userIdOf("google", "old@people.example");
    const other = await userIdOf("google", "taken@people.example");
    const rename = async (email: string) => {
      accountsSite.google.faults.tamper = (claims) => ({ ...claims, email });
      const session = await signIn(origin, "google", { email: "old@people.example" });
      accountsSite.google.faults.tamper = (claims) => claims;
      return session.user;
    };
    expect(await rename("new@people.example")).toMatchObject({ id, email: "new@people.example" });
    expect(await rename("TAKEN@people.example")).toMatchObject({ id, email: "new@people.example" });
    expect(await userIdOf("github", "taken@people.example")).toBe(other);
  });

  test("a known person with an unverified new e-mail signs in and keeps the verified one", async () => {
    const id = await userIdOf("google", "wren@people.example");
    accountsSite.google.faults.tamper = (claims) => ({
      ...claims,
      email: "boss@people.example",
      email_verified: false,
    });
    const { user } = await signIn(origin, "google", { email: "wren@people.example" });
    accountsSite.google.faults.tamper = (claims) => claims;
    expect(user).toMatchObject({ id, email: "wren@people.example" });
    expect(await userIdOf("github", "boss@people.example")).not.toBe(id);
  });

  test("concurrent first sign-ins at both providers make one user", async () => {
    for (let round = 0; round < 5; round++) {
      const email = `twin-${round}@people.example`;
      const ids = await Promise.all([
        userIdOf("google", email),
        userIdOf("github", email),
        userIdOf("google", email),
      ]);
      expect(new Set(ids).size).toBe(1);
    }
  });
});
