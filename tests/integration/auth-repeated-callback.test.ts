import { beforeEach, describe, expect, test, vi } from "vitest";
import { noIdentityFaults } from "../../dev/fake-identity-providers/faults.ts";
import { type Provider, providers } from "../../src/auth/session.ts";
import {
  exchangeCode,
  fetchWithoutRedirect,
  redirectTarget,
  returnedCode,
  signInUpToCallback,
  startSignIn,
} from "../support/accounts.ts";
import { givenEarlier, givenNone } from "../support/given.ts";
import type { ProviderChoice } from "../support/provider-sign-in.ts";
import { setUpAccountsSite, setUpDatabase, setUpSite } from "../support/set-up.ts";
import { countAccountRows, noAccountRows, storedTexts } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

/** Other processes get this long on a busy machine. */
const waitOptions = { timeout: 10_000 };

const wren = { email: "wren@people.example" };

const database = await setUpDatabase();
const { db } = database;
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
const otherSite = await setUpSite(database, accountsSite.variables);
beforeEach(async () => {
  await givenNone(db, "users", "sign_ins");
  for (const provider of providers) Object.assign(accountsSite[provider].faults, noIdentityFaults());
});

const stored = () => countAccountRows(db);

/** The same callback at another instance. */
const atOtherInstance = (url: string) => url.replace(origin, otherSite.origin);

/** Starts a sign-in from a page of the list, as auth-js does, up to the callback. */
function reachCallback(provider: Provider, person: ProviderChoice = wren) {
  return signInUpToCallback(origin, provider, person, {
    redirect_to: `${origin}/?page=2&sb_flow_id=0af3b1c2`,
  });
}

const exchange = async (code: string, verifier: string) =>
  (await exchangeCode(origin, code, verifier)).status;
const errorCodeOf = async (url: string) => (await redirectTarget(url)).searchParams.get("error_code");

/** How often the site has asked the provider for a token. */
function tokenRequests(provider: Provider): number {
  return accountsSite[provider].requests.filter((line) =>
    /^POST \/(token|login\/oauth\/access_token)$/.test(line),
  ).length;
}

describe.each([
  ["the same instance", (url: string) => url],
  ["another instance", atOtherInstance],
])("a callback that arrives again at %s", (_name, again) => {
  test.each(providers)("after a sign-in with %s gets the same code, which works once", async (provider) => {
    const asked = tokenRequests(provider);
    const { callback, verifier } = await reachCallback(provider);
    const first = await redirectTarget(callback);
    for (let repeat = 0; repeat < 3; repeat++)
      expect((await redirectTarget(again(callback))).href).toBe(first.href);
    expect(tokenRequests(provider)).toBe(asked + 1);
    const code = first.searchParams.get("code") ?? "";
    expect(await exchange(code, verifier)).toBe(200);
    expect(await exchange(code, verifier)).toBe(404);
    expect(await stored()).toMatchObject({ users: 1, sessions: 1, waiting: 0 });
  });

  testRows<[Provider]>(1, [["google"], ["github"]])(
    "after the code of %s was exchanged leads to the page, without an error",
    async (provider) => {
      const { callback, verifier } = await reachCallback(provider);
      const code = await returnedCode(callback);
      expect(await exchange(code, verifier)).toBe(200);
      expect((await redirectTarget(again(callback))).href).toBe(`${origin}/?page=2`);
      expect(await stored()).toMatchObject({ users: 1, sessions: 1, waiting: 0 });
    },
  );

  testRows<[string, Provider, ProviderChoice, string]>(1, [
    ["was denied at GitHub", "github", "deny", "access_denied"],
    ["was denied at Google", "google", "deny", "access_denied"],
    ["failed at Google", "google", "fail", "server_error"],
    ["had no verified e-mail", "github", { ...wren, verified: false }, "provider_email_needs_verification"],
  ])("after a sign-in that %s gets the same error", async (_case, provider, person, errorCode) => {
    const { callback } = await reachCallback(provider, person);
    const first = await redirectTarget(callback);
    expect(first.searchParams.get("error_code")).toBe(errorCode);
    expect((await redirectTarget(again(callback))).href).toBe(first.href);
    expect(await stored()).toEqual(noAccountRows);
  });

  test("after an outage of the provider gets the same error, and the provider is not asked again", async () => {
    const { callback } = await reachCallback("google");
    accountsSite.google.faults.endpoints.set("token", { kind: "status", status: 500 });
    const asked = tokenRequests("google");
    const first = await redirectTarget(callback);
    accountsSite.google.faults.endpoints.clear();
    expect(first.searchParams.get("error_code")).toBe("unexpected_failure");
    expect((await redirectTarget(again(callback))).href).toBe(first.href);
    expect(tokenRequests("google")).toBe(asked + 1);
  });

  testRows<[Provider]>(1, [["github"], ["google"]])(
    "while the first is handled, whose response is lost, waits for its code (%s)",
    async (provider) => {
      const { callback, verifier } = await reachCallback(provider);
      accountsSite[provider].faults.endpoints.set("token", { kind: "slow", ms: 700 });
      const asked = tokenRequests(provider);
      const lost = new AbortController();
      const first = fetch(callback, { redirect: "manual", signal: lost.signal }).catch(
        (error: Error) => error.name,
      );
      await vi.waitUntil(() => tokenRequests(provider) === asked + 1, waitOptions);
      lost.abort();
      expect(await first).toBe("AbortError");
      const code = await returnedCode(again(callback));
      expect(await exchange(code, verifier)).toBe(200);
      expect(tokenRequests(provider)).toBe(asked + 1);
    },
  );

  test("while the first is handled, which fails, gets its error", async () => {
    const { callback } = await reachCallback("github", { ...wren, verified: false });
    accountsSite.github.faults.endpoints.set("emails", { kind: "slow", ms: 700 });
    const asked = tokenRequests("github");
    const first = redirectTarget(callback);
    await vi.waitUntil(() => tokenRequests("github") === asked + 1, waitOptions);
    const repeated = await redirectTarget(again(callback));
    expect(repeated.searchParams.get("error_code")).toBe("provider_email_needs_verification");
    expect(repeated.href).toBe((await first).href);
  });

  test("with other parameters gets nothing, and takes nothing from the first", async () => {
    const { callback, verifier } = await reachCallback("google");
    const code = await returnedCode(callback);
    const state = new URL(callback).searchParams.get("state");
    for (const more of ["", "&code=guess", "&error=access_denied"]) {
      const other = again(`${origin}/auth/v1/callback?state=${state}${more}`);
      expect(await errorCodeOf(other)).toBe("bad_oauth_state");
    }
    expect(await exchange(code, verifier)).toBe(200);
  });

  testRows<[number, string | null]>(2, [
    [50, null],
    [61, "bad_oauth_state"],
    [3_600, "bad_oauth_state"],
  ])("%s seconds later gets the code, or the error %s", async (seconds, expected) => {
    const { callback } = await reachCallback("google");
    await redirectTarget(callback);
    await givenEarlier(db, "sign_ins", ["returned_at"], { seconds });
    const { searchParams } = await redirectTarget(again(callback));
    expect([searchParams.has("code"), searchParams.get("error_code")]).toEqual([expected === null, expected]);
  });
});

test("many concurrent arrivals at two instances get one code, and the provider is asked once", async () => {
  const { callback, verifier } = await reachCallback("google");
  const asked = tokenRequests("google");
  const urls = Array.from({ length: 10 }, (_, index) => (index % 2 ? callback : atOtherInstance(callback)));
  const codes = await Promise.all(urls.map(returnedCode));
  expect(new Set(codes).size).toBe(1);
  expect(tokenRequests("google")).toBe(asked + 1);
  expect((await exchangeCode(origin, codes[0] ?? "", verifier)).status).toBe(200);
  expect(await stored()).toMatchObject({ users: 1, identities: 1, sessions: 1 });
});

test("no result has the code in it", async () => {
  const { callback } = await reachCallback("github");
  const code = await returnedCode(callback);
  const stored = await storedTexts(db, "sign_ins");
  expect(stored).toHaveLength(1);
  expect(stored[0]).not.toContain(code);
  expect(stored[0]).not.toContain(new URL(callback).searchParams.get("code"));
});

describe("a request in advance", () => {
  testRows<[string, string]>(1, [
    ["Sec-Purpose", "prefetch;prerender"],
    ["Sec-Purpose", "prefetch"],
    ["Sec-Purpose", "prefetch;anonymous-client-ip"],
    ["Purpose", "prefetch"],
    ["X-Purpose", "preview"],
    ["X-Moz", "prefetch"],
  ])("(%s: %s) is refused, and neither begins nor finishes a sign-in", async (name, value) => {
    const begun = startSignIn(origin, "google");
    const { callback, verifier } = await reachCallback("github");
    for (const url of [begun.url, callback]) {
      const response = await fetch(url, { redirect: "manual", headers: { [name]: value } });
      expect([response.status, response.headers.get("cache-control")]).toEqual([403, "no-store"]);
    }
    expect(await stored()).toEqual(noAccountRows);
    expect((await fetchWithoutRedirect(begun.url)).status).toBe(302);
    const code = await returnedCode(callback);
    expect(await exchange(code, verifier)).toBe(200);
  });
});
