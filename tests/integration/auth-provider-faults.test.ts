import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  type Endpoint,
  type Fault,
  type IdentityFaults,
  noIdentityFaults,
} from "../../dev/fake-identity-providers/faults.ts";
import { type Provider, providers } from "../../src/auth/session.ts";
import { openState, redirectTarget, signIn, signInUpToCallback, startSignIn } from "../support/accounts.ts";
import { givenNone } from "../support/given.ts";
import { openTestSite, setUpAccountsSite, setUpDatabase, setUpSite } from "../support/set-up.ts";
import type { Site } from "../support/site.ts";
import { countAccountRows, noAccountRows } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

/** Other processes get this long on a busy machine. */
const waitOptions = { timeout: 10_000 };

const wren = { email: "wren@people.example" };

/** Texts that no log line may contain (docs/product.md §10.3). */
const secrets = new Set<string>();

const database = await setUpDatabase();
const { db } = database;
const accountsSite = await setUpAccountsSite(database, { LOG_LEVEL: "debug" });
const { origin } = accountsSite.site;
/** Sign-ins there all fail, so that its cache stays empty. */
const withoutDiscovery = await setUpSite(database, accountsSite.variables);
/** The servers that the current test uses; their logs are searched for secrets. */
let sites: Site[];

beforeEach(async () => {
  await givenNone(db, "users", "sign_ins");
  sites = [accountsSite.site, withoutDiscovery];
  secrets.clear();
  for (const provider of providers) Object.assign(faultsOf(provider), noIdentityFaults());
  for (const provider of providers) faultsOf(provider).change.token = rememberTokens;
  for (const secret of [wren.email, accountsSite.google.clientSecret, accountsSite.github.clientSecret])
    secrets.add(secret);
});
afterEach(() => {
  const lines = sites.flatMap(({ log }) => log);
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
});

const faultsOf = (provider: Provider): IdentityFaults => accountsSite[provider].faults;

/** Adds the provider's tokens to the secrets, and returns them unchanged. */
function rememberTokens(tokens: Claims): Claims {
  for (const token of [tokens.access_token, tokens.id_token])
    if (typeof token === "string") secrets.add(token);
  return tokens;
}

/** Starts a server with empty caches for one test. */
async function startColdSite(overrides: Record<string, string> = {}): Promise<Site> {
  const site = await openTestSite({ ...accountsSite.variables, ...overrides });
  sites.push(site);
  return site;
}

const stored = () => countAccountRows(db);

/** Starts a sign-in up to the provider's redirect, and returns that URL. Its parameters become secrets. */
async function reachCallback(provider: Provider): Promise<string> {
  const { callback } = await signInUpToCallback(origin, provider, wren, { redirect_to: `${origin}/?page=2` });
  const { searchParams } = new URL(callback);
  for (const name of ["code", "state"]) secrets.add(searchParams.get(name) ?? "");
  const { nonce, providerVerifier } = await openState(db, callback);
  secrets.add(nonce).add(providerVerifier);
  return callback;
}

/** The URL, moved to another server. */
const onServer = (site: Site, url: string) => url.replace(origin, site.origin);

const failure = {
  error: "server_error",
  error_code: "unexpected_failure",
  error_description: /does not work just now/,
};
const unverified = {
  error: "access_denied",
  error_code: "provider_email_needs_verification",
  error_description: /has not verified/,
};

/** The URL redirects to the page where the sign-in began, with the error in query and fragment. */
async function expectRedirectWith(expected: typeof failure, url: string): Promise<void> {
  const target = await redirectTarget(url);
  expect([target.origin, target.pathname, target.searchParams.get("page")]).toEqual([origin, "/", "2"]);
  for (const params of [target.searchParams, new URLSearchParams(target.hash.slice(1))]) {
    expect(Object.fromEntries(params)).toMatchObject({
      ...expected,
      error_description: expect.stringMatching(expected.error_description),
    });
  }
}

/** The faults here must be detected at once, not by a timeout. */
const reason = z.string().regex(/^\w+: (?!.*[Tt]imed out)/);

const warning = z.looseObject({ level: z.literal(40), provider: z.enum(providers), reason });

const warningsOf = (site: Site) => site.log.filter((line) => line.includes("A sign-in failed"));

/** Waits until there are `count` warnings about failed sign-ins, and returns the last. */
async function nthWarning(count: number, site: Site) {
  await vi.waitFor(() => expect(warningsOf(site)).toHaveLength(count), waitOptions);
  return warning.parse(JSON.parse(warningsOf(site).at(-1) ?? ""));
}

/** The URL redirects with an error, which logs one warning and stores nothing. */
async function expectFailure(provider: Provider, url: string, site = accountsSite.site): Promise<void> {
  const before = warningsOf(site).length;
  await expectRedirectWith(failure, onServer(site, url));
  expect((await nthWarning(before + 1, site)).provider).toBe(provider);
  expect(await stored()).toEqual(noAccountRows);
}

const signInAt = async (provider: Provider) => (await signIn(origin, provider, wren)).user;

type Claims = Record<string, unknown>;
const nowInSeconds = () => Math.floor(Date.now() / 1000);
const withClaims = (overrides: Claims) => (claims: Claims) => ({ ...claims, ...overrides });

const immediateFaults: [string, Fault][] = [
  ["is down", { kind: "down" }],
  ["returns garbage", { kind: "garbage" }],
  ["sends an endless body", { kind: "endless" }],
  ["returns 500", { kind: "status", status: 500 }],
  ["returns 404", { kind: "status", status: 404 }],
  ["returns 401", { kind: "status", status: 401 }],
  ["returns an empty body", { kind: "empty" }],
];

const uncachedEndpoints: [Provider, Endpoint][] = [
  ["google", "token"],
  ["github", "token"],
  ["github", "user"],
  ["github", "emails"],
];

/** Each fault at each endpoint; the first of them at another endpoint each. */
const faultsAtEndpoints = uncachedEndpoints.flatMap((_, shift) =>
  immediateFaults.map(([kind, fault], index) => {
    const [provider, endpoint] =
      uncachedEndpoints[(index + shift) % uncachedEndpoints.length] ?? expect.fail();
    return [provider, endpoint, kind, fault] as const;
  }),
);

testRows(immediateFaults.length, faultsAtEndpoints)(
  "%s's endpoint %s %s: the callback fails, nothing is stored, and the next sign-in works",
  async (provider, endpoint, _kind, fault) => {
    const callback = await reachCallback(provider);
    faultsOf(provider).endpoints.set(endpoint, fault);
    await expectFailure(provider, callback);
    faultsOf(provider).endpoints.clear();
    expect((await signInAt(provider)).email).toBe(wren.email);
  },
);

/** Number of requests for a path of the fake Google. */
function requestCount(path: string): number {
  return accountsSite.google.requests.filter((request) => request === `GET ${path}`).length;
}

const discovery = "/.well-known/openid-configuration";

const authorizeUrl = (site: Site) =>
  startSignIn(site.origin, "google", { redirect_to: `${origin}/?page=2` }).url;

describe("Google's discovery", () => {
  async function expectDiscoveryFailure(): Promise<void> {
    const before = requestCount(discovery);
    await expectFailure("google", authorizeUrl(withoutDiscovery), withoutDiscovery);
    expect(requestCount(discovery)).toBe(before + 1);
  }

  testRows(2, immediateFaults)(
    "%s: /authorize redirects with an error, and nothing is stored",
    async (_case, fault) => {
      faultsOf("google").endpoints.set("discovery", fault);
      await expectDiscoveryFailure();
    },
  );

  testRows<[string, Claims]>(3, [
    ["names another issuer", { issuer: "https://accounts.evil.example" }],
    ["has no jwks_uri", { jwks_uri: undefined }],
    ["names a file as token_endpoint", { token_endpoint: "file:///etc/passwd" }],
  ])("%s: it is rejected and not cached", async (_case, change) => {
    faultsOf("google").change.discovery = withClaims(change);
    await expectDiscoveryFailure();
  });
});

test("failed requests for discovery and keys are not cached: the next sign-in works", async () => {
  const site = await startColdSite();
  faultsOf("google").endpoints.set("discovery", { kind: "down" });
  await expectFailure("google", authorizeUrl(site), site);
  faultsOf("google").endpoints.clear();
  expect((await redirectTarget(authorizeUrl(site))).origin).toBe(accountsSite.google.issuer);

  const callback = await reachCallback("google");
  faultsOf("google").endpoints.set("jwks", { kind: "down" });
  await expectFailure("google", callback, site);
  faultsOf("google").endpoints.clear();
  expect((await redirectTarget(onServer(site, await reachCallback("google")))).searchParams.has("code")).toBe(
    true,
  );
});

test("requests to hanging endpoints time out, and nothing is stored", async () => {
  const [coldForDiscovery, coldForToken] = await Promise.all([startColdSite(), startColdSite()]);
  const pending: Promise<void>[] = [];
  /** Requests `url` while the endpoint hangs, and resolves when the hanging request has arrived there. */
  async function hang(provider: Provider, endpoint: Endpoint, path: string, url: string): Promise<void> {
    const { requests } = accountsSite[provider];
    const before = requests.length;
    faultsOf(provider).endpoints.set(endpoint, { kind: "hang" });
    pending.push(expectRedirectWith(failure, url));
    await vi.waitUntil(() => requests.slice(before).some((request) => request.endsWith(path)), waitOptions);
    faultsOf(provider).endpoints.clear();
  }
  const url = authorizeUrl(coldForDiscovery);
  await hang("google", "discovery", discovery, url);
  await hang("google", "token", "/token", onServer(coldForToken, await reachCallback("google")));
  await hang("google", "jwks", "/jwks", onServer(coldForToken, await reachCallback("google")));
  await hang("github", "token", "/login/oauth/access_token", await reachCallback("github"));
  await hang("github", "user", "/api/user", await reachCallback("github"));
  await hang("github", "emails", "/api/user/emails", await reachCallback("github"));
  await Promise.all(pending);
  expect(await stored()).toEqual(noAccountRows);
  expect((await redirectTarget(url)).origin).toBe(accountsSite.google.issuer);
  for (const provider of providers) expect((await signInAt(provider)).email).toBe(wren.email);
});

describe("an ID token is rejected", () => {
  testRows<[string, Claims]>(8, [
    ["of another issuer", { iss: "https://accounts.evil.example" }],
    ["for another client", { aud: "another-client" }],
    ["that has expired", { exp: nowInSeconds() - 120 }],
    ["with another nonce", { nonce: "another" }],
    ["without a nonce", { nonce: undefined }],
    ["with the at_hash of another access token", { at_hash: "A".repeat(22) }],
    ["without a subject", { sub: undefined }],
    ["with a NUL in the e-mail", { email: `\0${wren.email}` }],
    ["for several clients", { aud: [accountsSite.google.clientId, "another"], azp: "another" }],
    ["without an expiry", { exp: undefined }],
    ["with a truncated at_hash", { at_hash: "AAAA" }],
  ])("%s", async (_case, claims) => {
    const callback = await reachCallback("google");
    faultsOf("google").tamper = withClaims(claims);
    await expectFailure("google", callback);
    faultsOf("google").tamper = (claims) => claims;
    expect((await signInAt("google")).email).toBe(wren.email);
  });

  test.each(["wrong key", "none", "HS256"] as const)("signed with %s", async (key) => {
    const callback = await reachCallback("google");
    faultsOf("google").signWith = key;
    await expectFailure("google", callback);
  });

  test("signed with a key that is not published", async () => {
    const site = await startColdSite();
    const callback = await reachCallback("google");
    const rename = (key: unknown) => ({ ...z.looseObject({}).parse(key), kid: "another" });
    faultsOf("google").change.jwks = ({ keys }) => ({ keys: z.array(z.unknown()).parse(keys).map(rename) });
    await expectFailure("google", callback, site);
  });

  test("that is missing or malformed", async () => {
    for (const id_token of [undefined, 1, "a.b.c", "e30.e30."]) {
      const callback = await reachCallback("google");
      faultsOf("google").change.token = (tokens) => ({ ...rememberTokens(tokens), id_token });
      await expectFailure("google", callback);
    }
  });
});

describe("a new user is refused (docs/product.md §6.9)", () => {
  async function expectRefused(provider: Provider, fault: Partial<IdentityFaults>): Promise<void> {
    const callback = await reachCallback(provider);
    Object.assign(faultsOf(provider), fault);
    await expectRedirectWith(unverified, callback);
    expect(await stored()).toEqual(noAccountRows);
  }

  testRows<[string, Claims]>(2, [
    ["an unverified e-mail", { email_verified: false }],
    ["email_verified as a string", { email_verified: "true" }],
    ["no e-mail", { email: undefined }],
    ["an e-mail without email_verified", { email_verified: undefined }],
    ["email_verified as a number", { email_verified: 1 }],
  ])("if Google returns %s", async (_case, claims) => {
    await expectRefused("google", { tamper: withClaims(claims) });
  });

  testRows<[string, unknown]>(2, [
    ["an unverified primary e-mail", [{ ...wren, primary: true, verified: false }]],
    ["no primary e-mail", [{ ...wren, primary: false, verified: true }]],
    ["no e-mail", []],
  ])("if GitHub returns %s", async (_case, emails) => {
    await expectRefused("github", { change: { emails: () => emails, token: rememberTokens } });
  });
});

describe("a GitHub response is rejected", () => {
  const user = (changes: Claims) => ({ user: withClaims(changes) });
  const email = (changes: Claims) => ({ emails: (all: Claims[]) => all.map(withClaims(changes)) });
  const token = (changes: Claims) => ({ token: withClaims(changes) });

  testRows<[string, IdentityFaults["change"]]>(5, [
    ["whose user has a string for an id", user({ id: "1" })],
    ["whose e-mails are not a list", { emails: () => ({}) }],
    ["whose e-mail has a NUL", email({ email: `\0${wren.email}` })],
    ["that is an error instead of a token", { token: () => ({ error: "bad_verification_code" }) }],
    ["that has a number for a token", token({ access_token: 1 })],
    ["whose user has an id above 2^53 - 1", user({ id: 2 ** 53 })],
    ["whose e-mail has a string for verified", email({ verified: "true" })],
  ])("%s", async (_case, change) => {
    const callback = await reachCallback("github");
    Object.assign(faultsOf("github").change, change);
    await expectFailure("github", callback);
    faultsOf("github").change = { token: rememberTokens };
    expect((await signInAt("github")).email).toBe(wren.email);
  });

  test("that has a token which no header can carry, and the token is not logged", async () => {
    for (const access_token of ["wren's\nkey", "wren's-€"]) {
      const callback = await reachCallback("github");
      secrets.add("wren's");
      faultsOf("github").change.token = withClaims({ access_token });
      await expectFailure("github", callback);
    }
  });
});

/** Starts an HTTP server for one test, and returns its origin. */
async function startTestServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = z.object({ port: z.number() }).parse(server.address());
  return `http://127.0.0.1:${address.port}`;
}

testRows<[Provider]>(1, [["google"], ["github"]])(
  "an error response of %s is logged by its kind, without its text",
  async (provider) => {
    const callback = await reachCallback(provider);
    secrets.add("from the wire");
    const body = { error: "invalid_grant", error_description: "from the wire", code: "from the wire" };
    const url = await startTestServer((_request, response) => {
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    faultsOf("google").change.discovery = withClaims({ token_endpoint: url });
    const variables = provider === "github" ? { GITHUB_URL: url } : undefined;
    await expectFailure(provider, callback, await startColdSite(variables));
  },
);

describe("GitHub refuses the e-mail addresses", () => {
  const advice = /GitHub App.*permission "Email addresses: Read-only".*OAuth App/;
  const integration = { message: "Resource not accessible by integration", status: "403" };
  const limited = { "x-ratelimit-remaining": "0" };
  const ofApp = "ghu_16C7e42F292c6912E7710c838347Ae178B4a";

  test("to a GitHub App: the log says what to change; otherwise it says the status alone", async () => {
    let answer: { status: number; body: unknown; headers?: object } = { status: 200, body: null };
    const url = await startTestServer((request, response) => {
      const { status, body, headers } = request.url === "/user" ? { status: 200, body: { id: 7 } } : answer;
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    });
    const site = await startColdSite({ GITHUB_API_URL: url });
    for (const [what, access_token, status, body, headers, isAdvised] of [
      ["refusal of github.com", ofApp, 403, integration, {}, true],
      ["refusal in other words", ofApp, 403, { message: "Forbidden" }, {}, true],
      ["refusal that hides the resource", ofApp, 404, { message: "Not Found" }, {}, true],
      ["token without a prefix", "e72e16c7e42f292c6912e7710c838347", 403, integration, {}, true],
      ["a suspended user", "gho_1", 403, { message: "Sorry. Your account was suspended." }, {}, false],
      ["no scope", "gho_2", 404, { message: "Not Found" }, {}, false],
      ["a rate limit", ofApp, 403, { message: "API rate limit" }, limited, false],
      ["the second rate limit", ofApp, 403, { message: "Wait" }, { "retry-after": "60" }, false],
      ["a list", "gho_7", 403, [integration], {}, false],
    ] as const) {
      answer = { status, body, headers };
      const callback = await reachCallback("github");
      faultsOf("github").change.token = (tokens) => rememberTokens({ ...tokens, access_token });
      await expectFailure("github", callback, site);
      const { reason } = await nthWarning(warningsOf(site).length, site);
      if (isAdvised) expect(reason, what).toMatch(advice);
      else expect(reason, what).toBe(`ProviderError: /user/emails returned status ${status}`);
    }
  });
});

describe("redirects of a provider are not followed", () => {
  /** Starts a server that redirects to the same path of a working provider. */
  function startRedirectServer(to: string): Promise<string> {
    return startTestServer(({ url }, response) => response.writeHead(307, { location: `${to}${url}` }).end());
  }

  test.each(["token", "jwks", "discovery"] as const)("from Google's %s", async (endpoint) => {
    const callback = await reachCallback("google");
    const elsewhere = await startRedirectServer(accountsSite.google.issuer);
    const isDiscovery = endpoint === "discovery";
    const changes = {
      discovery: { issuer: elsewhere },
      token: { token_endpoint: `${elsewhere}/token` },
      jwks: { jwks_uri: `${elsewhere}/jwks` },
    };
    faultsOf("google").change.discovery = withClaims(changes[endpoint]);
    const site = await startColdSite(isDiscovery ? { GOOGLE_ISSUER: elsewhere } : {});
    await expectFailure("google", isDiscovery ? authorizeUrl(site) : callback, site);
  });

  test("from GitHub's user", async () => {
    const isForUser = (request: string) => request.endsWith("/api/user");
    const before = accountsSite.github.requests.filter(isForUser).length;
    const callback = await reachCallback("github");
    const url = await startRedirectServer(accountsSite.github.url);
    await expectFailure("github", callback, await startColdSite({ GITHUB_API_URL: `${url}/api` }));
    expect(accountsSite.github.requests.filter(isForUser)).toHaveLength(before);
  });
});
