import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type Endpoint,
  type Fault,
  type IdentityFaults,
  noIdentityFaults,
} from "../../dev/fake-identity-providers/faults.ts";
import { type Provider, providers } from "../../src/domain/account.ts";
import {
  openState,
  redirectTarget,
  returnedCode,
  signIn,
  signInUpToCallback,
  startSignIn,
} from "../support/accounts.ts";
import { givenNone } from "../support/given.ts";
import { openTestSite, setUpAccounts, setUpSite } from "../support/set-up.ts";
import type { Site } from "../support/site.ts";
import { countAccountRows, noAccountRows } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

const waitOptions = { timeout: 10_000 };
const wren = { email: "wren@people.example" };

/** Texts that no log line may contain (docs/product.md §10.3). */
const secrets = new Set<string>();
const { database, db, accountsSite, origin } = await setUpAccounts({ LOG_LEVEL: "debug" });
/** All sign-ins on this site fail, so that its cache stays empty. */
const withoutDiscovery = await setUpSite(database, accountsSite.variables);
let sites: Site[];

beforeEach(async () => {
  await givenNone(db, "users", "sign_ins");
  sites = [accountsSite.site, withoutDiscovery];
  secrets.clear();
  for (const provider of providers) endFaults(provider);
  const { google, github } = accountsSite;
  for (const secret of [wren.email, google.clientSecret, github.clientSecret, "wren's", "from the wire"])
    secrets.add(secret);
});
afterEach(() => {
  const lines = sites.flatMap(({ log }) => log);
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
});

const faultsOf = (provider: Provider): IdentityFaults => accountsSite[provider].faults;
const endFaults = (provider: Provider) =>
  Object.assign(faultsOf(provider), noIdentityFaults(), { change: { token: rememberTokens } });

function rememberTokens(tokens: Claims): Claims {
  for (const token of [tokens.access_token, tokens.id_token])
    if (typeof token === "string") secrets.add(token);
  return tokens;
}

async function startColdSite(): Promise<Site> {
  const site = await openTestSite(accountsSite.variables);
  sites.push(site);
  return site;
}

const stored = () => countAccountRows(db);

async function reachCallback(provider: Provider): Promise<string> {
  const { callback } = await signInUpToCallback(origin, provider, wren, { redirect_to: `${origin}/?page=2` });
  const { searchParams } = new URL(callback);
  for (const name of ["code", "state"]) secrets.add(searchParams.get(name) ?? "");
  const { nonce, providerVerifier } = await openState(db, callback);
  secrets.add(nonce).add(providerVerifier);
  return callback;
}

const onServer = (site: Site, url: string) => url.replace(origin, site.origin);

const failure = {
  error: "server_error",
  error_code: "unexpected_failure",
  error_description: expect.stringContaining("does not work just now"),
};
const unverified = {
  error: "access_denied",
  error_code: "provider_email_needs_verification",
  error_description: expect.stringContaining("has not verified"),
};

async function expectRedirectWith(expected: object, url: string): Promise<void> {
  const target = await redirectTarget(url);
  expect([target.origin, target.pathname, target.searchParams.get("page")]).toEqual([origin, "/", "2"]);
  for (const params of [target.searchParams, new URLSearchParams(target.hash.slice(1))])
    expect(Object.fromEntries(params)).toMatchObject(expected);
}

const warningsOf = (site: Site) => site.log.filter((line) => line.includes("A sign-in failed"));

async function expectFailure(provider: Provider, url: string, site = accountsSite.site): Promise<string> {
  const before = warningsOf(site).length;
  await expectRedirectWith(failure, onServer(site, url));
  await vi.waitFor(() => expect(warningsOf(site)).toHaveLength(before + 1), waitOptions);
  const { level, reason, ...logged } = JSON.parse(warningsOf(site).at(-1) ?? "");
  expect([level, logged.provider]).toEqual([40, provider]);
  // These faults must be detected at once, not by a timeout.
  expect(reason).toMatch(/^\w+: (?!.*[Tt]imed out)/);
  expect(await stored()).toEqual(noAccountRows);
  expect(accountsSite[provider].requests.filter((request) => request.endsWith("/elsewhere"))).toEqual([]);
  return reason;
}

const signInAt = async (provider: Provider) => (await signIn(origin, provider, wren)).user;
type Claims = Record<string, unknown>;
const nowInSeconds = () => Math.floor(Date.now() / 1000);
const withClaims = (overrides: Claims) => (claims: Claims) => ({ ...claims, ...overrides });

const immediateFaults: [string, Fault][] = [
  ["refuses", { kind: "refusal" }],
  ["sends an endless body", { kind: "endless" }],
  ["redirects", { kind: "redirect" }],
  ["returns garbage", { kind: "garbage" }],
  ["returns 500", { kind: "status", status: 500 }],
  ["returns 404", { kind: "status", status: 404 }],
  ["returns 401", { kind: "status", status: 401 }],
  ["returns an empty body", { kind: "empty" }],
  ["is unavailable", { kind: "unavailable" }],
];

const uncachedEndpoints: [Provider, Endpoint][] = [
  ["google", "token"],
  ["github", "token"],
  ["github", "user"],
  ["github", "emails"],
];

type FaultRow = [provider: Provider, what: string, fault: Partial<IdentityFaults>];

/** Each fault at one endpoint, in turns: one function sends the requests to all of them. */
const faultsAtEndpoints = immediateFaults.map(([kind, fault], index): FaultRow => {
  const [provider, endpoint] = uncachedEndpoints[index % uncachedEndpoints.length] ?? expect.fail();
  return [provider, `${endpoint} ${kind}`, { endpoints: new Map([[endpoint, fault]]) }];
});

const inIdToken = (what: string, claims: Claims): FaultRow => {
  const tamper = withClaims(claims);
  return ["google", `an ID token ${what}`, { tamper }];
};
type Changes = IdentityFaults["change"];
const changed = (provider: Provider, what: string, changes: Changes): FaultRow => {
  const change = { token: rememberTokens, ...changes };
  return [provider, what, { change }];
};
const inTokens = (provider: Provider, what: string, more: Claims) =>
  changed(provider, what, { token: (tokens) => rememberTokens({ ...tokens, ...more }) });
const inUser = (what: string, more: Claims) => changed("github", what, { user: withClaims(more) });
const inEmails = (what: string, more: Claims) =>
  changed("github", what, { emails: (all) => all.map(withClaims(more)) });

const rejected: FaultRow[] = [
  inIdToken("of another issuer", { iss: "https://accounts.evil.example" }),
  inIdToken("for another client", { aud: "another-client" }),
  inIdToken("that has expired", { exp: nowInSeconds() - 120 }),
  inIdToken("with another nonce", { nonce: "another" }),
  inIdToken("without a nonce", { nonce: undefined }),
  inIdToken("with the at_hash of another access token", { at_hash: "A".repeat(22) }),
  inIdToken("without a subject", { sub: undefined }),
  inIdToken("with a NUL in the e-mail", { email: `\0${wren.email}` }),
  ...(["wrong key", "none", "HS256"] as const).map((signWith): FaultRow => {
    return ["google", `an ID token signed with ${signWith}`, { signWith }];
  }),
  ["google", "token redirects", { endpoints: new Map([["token", { kind: "redirect" }]]) }],
  inTokens("google", "no ID token", { id_token: undefined }),
  inTokens("google", "a malformed ID token", { id_token: "e30.e30." }),
  inUser("a user with a string for an id", { id: "1" }),
  changed("github", "e-mails that are not a list", { emails: () => ({}) }),
  inEmails("an e-mail with a NUL", { email: `\0${wren.email}` }),
  changed("github", "an error instead of a token", { token: () => ({ error: "bad_verification_code" }) }),
  inTokens("github", "a number for a token", { access_token: 1 }),
  inTokens("github", "a token that no header can carry", { access_token: "wren's\nkey" }),
  inIdToken("for several clients", { aud: [accountsSite.google.clientId, "another"], azp: "another" }),
  inIdToken("with a truncated at_hash", { at_hash: "AAAA" }),
];
test.each([...faultsAtEndpoints, ...rejected])(
  "%s, %s: the callback fails, nothing is stored, the next sign-in works",
  async (provider, _, fault) => {
    const callback = await reachCallback(provider);
    Object.assign(faultsOf(provider), fault);
    await expectFailure(provider, callback);
    endFaults(provider);
    expect((await signInAt(provider)).email).toBe(wren.email);
  },
);

const emailsAre = (what: string, emails: object[]) => changed("github", what, { emails: () => emails });

test.each([
  inIdToken("with an unverified e-mail", { email_verified: false }),
  inIdToken("with email_verified as a string", { email_verified: "true" }),
  inIdToken("without email_verified", { email_verified: undefined }),
  inIdToken("without an e-mail", { email: undefined }),
  emailsAre("an unverified primary e-mail", [{ ...wren, primary: true, verified: false }]),
  emailsAre("no primary e-mail", [{ ...wren, primary: false, verified: true }]),
])("%s, %s: a new user is refused (docs/product.md §6.9)", async (provider, _, fault) => {
  const callback = await reachCallback(provider);
  Object.assign(faultsOf(provider), fault);
  await expectRedirectWith(unverified, callback);
  expect(await stored()).toEqual(noAccountRows);
});

test.each([403, 404, 500])("GitHub refuses e-mails with %i: the log may blame an App", async (status) => {
  const callback = await reachCallback("github");
  faultsOf("github").endpoints.set("emails", { kind: "status", status });
  const advice = /GitHub App.*permission "Email addresses: Read-only".*OAuth App/;
  expect(await expectFailure("github", callback)).toMatch(status === 500 ? /returned status 500$/ : advice);
});

function requestCount(path: string): number {
  return accountsSite.google.requests.filter((request) => request === `GET ${path}`).length;
}

const discovery = "/.well-known/openid-configuration";

const authorizeUrl = (site: Site) =>
  startSignIn(site.origin, "google", { redirect_to: `${origin}/?page=2` }).url;

const changedDiscovery = (what: string, changes: Claims): FaultRow =>
  changed("google", what, { discovery: withClaims(changes) });

testRows<FaultRow>(5, [
  changedDiscovery("names another issuer", { issuer: "https://accounts.evil.example" }),
  changedDiscovery("has no jwks_uri", { jwks_uri: undefined }),
  changedDiscovery("names a file as token_endpoint", { token_endpoint: "file:///etc/passwd" }),
  ...immediateFaults.map(
    ([what, fault]): FaultRow => ["google", what, { endpoints: new Map([["discovery", fault]]) }],
  ),
])("%s's discovery %s: no sign-in begins, nothing is stored or cached", async (provider, _, fault) => {
  Object.assign(faultsOf(provider), fault);
  const before = requestCount(discovery);
  await expectFailure(provider, authorizeUrl(withoutDiscovery), withoutDiscovery);
  expect(requestCount(discovery)).toBe(before + 1);
});

test("a failed request for Google's keys is not cached, and an ID token needs one of the keys", async () => {
  const site = await startColdSite();
  const before = requestCount("/jwks");
  for (const kind of ["unavailable", "redirect"] as const) {
    faultsOf("google").endpoints.set("jwks", { kind });
    await expectFailure("google", await reachCallback("google"), site);
  }
  faultsOf("google").endpoints.clear();
  const rename = (key: unknown) => ({ ...z.looseObject({}).parse(key), kid: "another" });
  faultsOf("google").change.jwks = ({ keys }) => ({ keys: z.array(z.unknown()).parse(keys).map(rename) });
  await expectFailure("google", await reachCallback("google"), site);
  expect(requestCount("/jwks")).toBe(before + 3);
});

test("requests to hanging endpoints time out, and nothing is stored", async () => {
  const [coldForDiscovery, coldForKeys] = await Promise.all([startColdSite(), startColdSite()]);
  const url = authorizeUrl(coldForDiscovery);
  const pending: Promise<void>[] = [];
  for (const [provider, endpoint, path, address] of [
    ["google", "discovery", discovery, url],
    ["google", "jwks", "/jwks", onServer(coldForKeys, await reachCallback("google"))],
    ["github", "token", "/login/oauth/access_token", await reachCallback("github")],
    ["github", "emails", "/api/user/emails", await reachCallback("github")],
  ] as const) {
    const { requests } = accountsSite[provider];
    const before = requests.length;
    faultsOf(provider).endpoints.set(endpoint, { kind: "hang" });
    pending.push(expectRedirectWith(failure, address));
    await vi.waitUntil(() => requests.slice(before).some((request) => request.endsWith(path)), waitOptions);
    faultsOf(provider).endpoints.clear();
  }
  await Promise.all(pending);
  expect(await stored()).toEqual(noAccountRows);
  expect((await redirectTarget(url)).origin).toBe(accountsSite.google.issuer);
  await returnedCode(onServer(coldForKeys, await reachCallback("google")));
});
