import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  type Endpoint,
  type Fault,
  type IdentityFaults,
  noIdentityFaults,
} from "../../dev/fake-identity-providers/faults.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import { type Provider, providers } from "../../src/auth/session.ts";
import type { Database } from "../../src/database/open.server.ts";
import {
  type AccountsSite,
  beginSignIn,
  comeBack,
  countStored,
  leadsTo,
  nothing,
  type SessionAnswer,
  signIn,
  startAccountsSite,
} from "../support/accounts.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed, type Site, startSite } from "../support/site.ts";

/** For what happens in another process, however busy the machine is. */
const patience = { timeout: 10_000 };

const wren = { email: "wren@people.example" };

/** What must be in no line of the log. */
const secrets = new Set<string>();

let database: Database;
let world: AccountsSite;
let origin: string;
/** Every server that a test has to do with. */
let sites: Site[];

beforeAll(async () => {
  database = await createTestDatabase();
  await pretendRefreshed(database.db);
  world = await startAccountsSite(database.url, { LOG_LEVEL: "debug" });
  ({ origin } = world.site);
});
afterAll(async () => {
  await world.close();
  await database.close();
});
beforeEach(async () => {
  await sql`truncate users, flows cascade`.execute(database.db);
  sites = [world.site];
  secrets.clear();
  for (const provider of providers) Object.assign(faultsOf(provider), noIdentityFaults());
  for (const provider of providers) faultsOf(provider).change.token = remembered;
  for (const secret of [wren.email, world.google.clientSecret, world.github.clientSecret]) secrets.add(secret);
});
afterEach(() => {
  const lines = sites.flatMap(({ log }) => log);
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
});

function faultsOf(provider: Provider): IdentityFaults {
  return world[provider].faults;
}

/** The provider's tokens as they are, and known as secrets from now on. */
function remembered(tokens: Record<string, unknown>): Record<string, unknown> {
  for (const name of ["access_token", "id_token"]) {
    const token = tokens[name];
    if (typeof token === "string") secrets.add(token);
  }
  return tokens;
}

/** A server with nothing in its memory, at the same database, with the same providers unless told otherwise. */
async function startAnother(more: Record<string, string> = {}): Promise<Site> {
  return startSite({ ...world.variables, ...more, PORT: String(await freePort()) });
}

/** Such a server for one test. */
async function startColdSite(more?: Record<string, string>): Promise<Site> {
  const site = await startAnother(more);
  onTestFinished(() => site.end().then());
  sites.push(site);
  return site;
}

const stored = () => countStored(database.db);

/** Somebody is on the way back to the site; what their browser and the flow carry is secret from now on. */
async function onTheWayBack(provider: Provider): Promise<string> {
  const { callback } = await comeBack(origin, provider, wren, { redirect_to: `${origin}/?page=2` });
  const { searchParams } = new URL(callback);
  for (const name of ["code", "state"]) secrets.add(searchParams.get(name) ?? "");
  const { rows } = await sql<{ nonce: string; verifier: string }>`
    select nonce, provider_verifier as verifier from flows where state = ${searchParams.get("state")}`.execute(
    database.db,
  );
  for (const { nonce, verifier } of rows) secrets.add(nonce).add(verifier);
  return callback;
}

/** The same request to another server. */
function at(site: Site, url: string): string {
  return url.replace(origin, site.origin);
}

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

/** The address leads back to the page that was asked for, which is told what went wrong; nothing is left of the sign-in. */
async function leadsBackWith(expected: typeof failure, url: string): Promise<void> {
  const back = await leadsTo(url);
  expect([back.origin, back.pathname, back.searchParams.get("page")]).toEqual([origin, "/", "2"]);
  for (const params of [back.searchParams, new URLSearchParams(back.hash.slice(1))]) {
    expect(Object.fromEntries(params)).toMatchObject({
      ...expected,
      error_description: expect.stringMatching(expected.error_description),
    });
  }
}

/** What is wrong is found out at once, not by waiting until it has taken too long. */
const reason = z.string().regex(/^\w+: (?!.*[Tt]imed out)/);

const warning = z.looseObject({ level: z.literal(40), provider: z.enum(providers), reason });

function warningsOf(site: Site): string[] {
  return site.log.filter((line) => line.includes("A sign-in failed"));
}

/** The newest warning about a failed sign-in, once there are as many. */
async function warningNumber(count: number, site: Site) {
  await vi.waitFor(() => expect(warningsOf(site)).toHaveLength(count), patience);
  return warning.parse(JSON.parse(warningsOf(site).at(-1) ?? ""));
}

/** The way back fails, is in the log, and leaves nothing. */
async function failsAtCallback(provider: Provider, callback: string, site = world.site): Promise<void> {
  const before = warningsOf(site).length;
  await leadsBackWith(failure, at(site, callback));
  expect((await warningNumber(before + 1, site)).provider).toBe(provider);
  expect(await stored()).toEqual(nothing);
}

function signsIn(provider: Provider): Promise<SessionAnswer> {
  return signIn(origin, provider, wren);
}

type Claims = Record<string, unknown>;
const seconds = () => Math.floor(Date.now() / 1000);
const without = (name: string) => (claims: Claims) =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
const having = (more: Claims) => (claims: Claims) => ({ ...claims, ...more });

const shortFaults: [string, Fault][] = [
  ["is down", { kind: "down" }],
  ["answers 500", { kind: "status", status: 500 }],
  ["answers 404", { kind: "status", status: 404 }],
  ["answers 401", { kind: "status", status: 401 }],
  ["answers garbage", { kind: "garbage" }],
  ["answers nothing", { kind: "empty" }],
  ["never stops answering", { kind: "endless" }],
];

const askedEachTime: [Provider, Endpoint][] = [
  ["google", "token"],
  ["github", "token"],
  ["github", "user"],
  ["github", "emails"],
];

describe.each(askedEachTime)("%s's endpoint %s", (provider, endpoint) => {
  test.each(shortFaults)(
    "%s: the way back tells of an error, nothing is stored, and the next sign-in works",
    async (_what, fault) => {
      const callback = await onTheWayBack(provider);
      faultsOf(provider).endpoints.set(endpoint, fault);
      await failsAtCallback(provider, callback);
      faultsOf(provider).endpoints.clear();
      expect((await signsIn(provider)).user.email).toBe(wren.email);
    },
  );

  test("is late: the sign-in waits for it", async () => {
    faultsOf(provider).endpoints.set(endpoint, { kind: "slow", ms: 300 });
    expect((await signsIn(provider)).user.email).toBe(wren.email);
  });
});

/** Such a server for tests that never succeed, so that it has nothing in its memory in any of them. */
function useColdSite(): () => Site {
  let site: Site;
  beforeAll(async () => {
    site = await startAnother();
  });
  beforeEach(() => void sites.push(site));
  afterAll(() => site.end().then());
  return () => site;
}

/** How often a path of the fake Google was requested. */
function askedFor(path: string): number {
  return world.google.requests.filter((request) => request === `GET ${path}`).length;
}

const discovery = "/.well-known/openid-configuration";

/** The start of a sign-in fails, is in the log, and leaves nothing. */
async function failsAtAuthorize(site: Site): Promise<void> {
  const before = warningsOf(site).length;
  await leadsBackWith(failure, authorizeUrl(site));
  expect((await warningNumber(before + 1, site)).provider).toBe("google");
  expect(await stored()).toEqual(nothing);
}

function authorizeUrl(site: Site): string {
  return beginSignIn(site.origin, "google", { redirect_to: `${origin}/?page=2` }).url;
}

describe("Google's discovery", () => {
  const site = useColdSite();

  async function failAtDiscovery(): Promise<void> {
    const asked = askedFor(discovery);
    await failsAtAuthorize(site());
    expect(askedFor(discovery)).toBe(asked + 1);
  }

  test.each(shortFaults)(
    "%s: the start of a sign-in leads back with an error, and nothing is stored",
    async (_what, fault) => {
      faultsOf("google").endpoints.set("discovery", fault);
      await failAtDiscovery();
    },
  );

  const endpoints = ["authorization_endpoint", "token_endpoint", "jwks_uri"];
  test.each<[string, (document: Claims) => unknown]>([
    ["names another issuer", having({ issuer: "https://accounts.evil.example" })],
    ["names no issuer", without("issuer")],
    ["names a number as its issuer", having({ issuer: 1 })],
    ...endpoints.flatMap((name): [string, (document: Claims) => unknown][] => [
      [`names no ${name}`, without(name)],
      [`names a number as ${name}`, having({ [name]: 1 })],
      [`names garbage as ${name}`, having({ [name]: "//evil" })],
      [`names a script as ${name}`, having({ [name]: "javascript:alert(1)" })],
      [`names a file as ${name}`, having({ [name]: "file:///etc/passwd" })],
    ]),
    ["is a list", () => []],
    ["is null", () => null],
  ])("%s: it is not believed, nor kept", async (_what, change) => {
    faultsOf("google").change.discovery = change;
    await failAtDiscovery();
  });
});

describe("Google's keys", () => {
  const site = useColdSite();

  async function failAtKeys(): Promise<void> {
    const callback = await onTheWayBack("google");
    const asked = askedFor("/jwks");
    await failsAtCallback("google", callback, site());
    expect(askedFor("/jwks")).toBe(asked + 1);
  }

  test.each(shortFaults)("%s: the way back tells of an error, and nothing is stored", async (_what, fault) => {
    faultsOf("google").endpoints.set("jwks", fault);
    await failAtKeys();
  });

  test.each<[string, (keys: Claims) => unknown]>([
    ["are no list", () => ({ keys: "none" })],
    ["are a list of no keys", () => ({ keys: [null, 1] })],
    ["are null", () => null],
  ])("%s: the way back tells of an error, and nothing is stored", async (_what, change) => {
    faultsOf("google").change.jwks = change;
    await failAtKeys();
  });
});

test("what failed is asked for again by the next sign-in, which works", async () => {
  const site = await startColdSite();
  faultsOf("google").endpoints.set("discovery", { kind: "down" });
  await failsAtAuthorize(site);
  faultsOf("google").endpoints.clear();
  expect((await leadsTo(authorizeUrl(site))).origin).toBe(world.google.issuer);
  await sql`truncate flows`.execute(database.db);

  const callback = await onTheWayBack("google");
  faultsOf("google").endpoints.set("jwks", { kind: "down" });
  await failsAtCallback("google", callback, site);
  faultsOf("google").endpoints.clear();
  expect((await leadsTo(at(site, await onTheWayBack("google")))).searchParams.has("code")).toBe(true);
});

test("Google's discovery and keys are late: the sign-in waits for them", async () => {
  const site = await startColdSite();
  for (const endpoint of ["discovery", "jwks"] as const) {
    faultsOf("google").endpoints.set(endpoint, { kind: "slow", ms: 300 });
  }
  const callback = await onTheWayBack("google");
  expect((await leadsTo(at(site, callback))).searchParams.has("code")).toBe(true);
});

test("endpoints that never answer are given up, and nothing is stored", async () => {
  const [cold, other] = await Promise.all([startColdSite(), startColdSite()]);
  const hanging: Promise<void>[] = [];
  /** Asks for an address while the endpoint hangs; the others go on when it has been asked. */
  async function hangAt(provider: Provider, endpoint: Endpoint, path: string, url: string): Promise<void> {
    const { requests } = world[provider];
    const before = requests.length;
    faultsOf(provider).endpoints.set(endpoint, { kind: "hang" });
    hanging.push(leadsBackWith(failure, url));
    await vi.waitUntil(() => requests.slice(before).some((request) => request.endsWith(path)), patience);
    faultsOf(provider).endpoints.clear();
  }
  const url = authorizeUrl(cold);
  await hangAt("google", "discovery", discovery, url);
  await hangAt("google", "token", "/token", at(other, await onTheWayBack("google")));
  await hangAt("google", "jwks", "/jwks", at(other, await onTheWayBack("google")));
  await hangAt("github", "token", "/login/oauth/access_token", await onTheWayBack("github"));
  await hangAt("github", "user", "/api/user", await onTheWayBack("github"));
  await hangAt("github", "emails", "/api/user/emails", await onTheWayBack("github"));
  await Promise.all(hanging);
  expect(await stored()).toEqual(nothing);
  expect((await leadsTo(url)).origin).toBe(world.google.issuer);
  for (const provider of providers) expect((await signsIn(provider)).user.email).toBe(wren.email);
});

describe("an ID token is not believed", () => {
  test.each<[string, (claims: Claims) => Claims]>([
    ["of another issuer", having({ iss: "https://accounts.evil.example" })],
    ["without an issuer", without("iss")],
    ["for somebody else", having({ aud: "another-client" })],
    ["for others, too", (claims) => ({ ...claims, aud: [claims.aud, "another-client"], azp: "another-client" })],
    ["without an audience", without("aud")],
    ["that has expired", (claims) => ({ ...claims, exp: seconds() - 120 })],
    ["without an end", without("exp")],
    ["without its time", without("iat")],
    ["with another nonce", having({ nonce: "another" })],
    ["without a nonce", without("nonce")],
    ["of another access token", having({ at_hash: "A".repeat(22) })],
    ["with half an at_hash", having({ at_hash: "AAAA" })],
    ["with a number for at_hash", having({ at_hash: 1 })],
    ["without a subject", without("sub")],
    ["with an empty subject", having({ sub: "" })],
    ["with a number for a subject", having({ sub: 1 })],
    ["with a NUL in the subject", having({ sub: "1\0" })],
    ["with half a character in the subject", having({ sub: "1\ud800" })],
    ["with a number for an e-mail", having({ email: 1 })],
    ["with null for an e-mail", having({ email: null })],
    ["with a list for an e-mail", having({ email: [wren.email] })],
    ["with an e-mail of 400 characters", having({ email: `${"w".repeat(400 - wren.email.length)}${wren.email}` })],
    ["with a NUL in the e-mail", having({ email: `\0${wren.email}` })],
    ["with a line break in the e-mail", having({ email: `${wren.email}\n` })],
    ["with half a character in the e-mail", having({ email: `\ud800${wren.email}` })],
    ["with an e-mail without @", having({ email: "wren" })],
    ["with an empty e-mail", having({ email: "" })],
  ])("%s", async (_what, tamper) => {
    const callback = await onTheWayBack("google");
    faultsOf("google").tamper = tamper;
    await failsAtCallback("google", callback);
    faultsOf("google").tamper = (claims) => claims;
    expect((await signsIn("google")).user.email).toBe(wren.email);
  });

  test.each(["wrong key", "none", "HS256"] as const)("signed with %s", async (key) => {
    const callback = await onTheWayBack("google");
    faultsOf("google").signWith = key;
    await failsAtCallback("google", callback);
  });

  test("signed with a key that is not among the published ones", async () => {
    const site = await startColdSite();
    const callback = await onTheWayBack("google");
    const rename = (key: unknown) => ({ ...z.looseObject({}).parse(key), kid: "another" });
    faultsOf("google").change.jwks = ({ keys }) => ({ keys: z.array(z.unknown()).parse(keys).map(rename) });
    await failsAtCallback("google", callback, site);
  });

  test("that is missing, or none", async () => {
    for (const id_token of [undefined, null, 1, "", "a.b.c", "a.b.c.d.e", "e30.e30."]) {
      const callback = await onTheWayBack("google");
      faultsOf("google").change.token = (tokens) => ({ ...remembered(tokens), id_token });
      await failsAtCallback("google", callback);
    }
  });
});

describe("nobody new is let in", () => {
  async function isRefused(provider: Provider, fault: Partial<IdentityFaults>): Promise<void> {
    const callback = await onTheWayBack(provider);
    Object.assign(faultsOf(provider), fault);
    await leadsBackWith(unverified, callback);
    expect(await stored()).toEqual(nothing);
  }

  test.each<[string, (claims: Claims) => Claims]>([
    ["no e-mail", without("email")],
    ["an e-mail that is not verified", having({ email_verified: false })],
    ["an e-mail of which it does not say whether it is verified", without("email_verified")],
    ["an e-mail that is verified as a text", having({ email_verified: "true" })],
    ["an e-mail that is verified as a number", having({ email_verified: 1 })],
  ])("for whom Google knows %s", async (_what, tamper) => {
    await isRefused("google", { tamper });
  });

  test.each<[string, unknown]>([
    ["no e-mail", []],
    ["no primary e-mail", [{ ...wren, primary: false, verified: true }]],
    ["a primary e-mail that is not verified", [{ ...wren, primary: true, verified: false }]],
  ])("for whom GitHub knows %s", async (_what, emails) => {
    await isRefused("github", { change: { emails: () => emails, token: remembered } });
  });
});

describe("GitHub is not believed", () => {
  test.each<[string, IdentityFaults["change"]]>([
    ["whose user has a text for an id", { user: having({ id: "1" }) }],
    ["whose user has a negative id", { user: having({ id: -1 }) }],
    ["whose user has 0 for an id", { user: having({ id: 0 }) }],
    ["whose user has a broken id", { user: having({ id: 1.5 }) }],
    ["whose user has an id that is not exact", { user: having({ id: 2 ** 53 }) }],
    ["whose user has no id", { user: without("id") }],
    ["whose user is a list", { user: () => [] }],
    ["whose user is null", { user: () => null }],
    ["whose e-mails are no list", { emails: () => ({}) }],
    ["whose e-mails are texts", { emails: () => [wren.email] }],
    ["whose e-mail does not say whether it is primary", { emails: (all) => all.map(without("primary")) }],
    ["whose e-mail does not say whether it is verified", { emails: (all) => all.map(without("verified")) }],
    ["whose e-mail is verified as a text", { emails: (all) => all.map(having({ verified: "true" })) }],
    ["whose e-mail is a number", { emails: (all) => all.map(having({ email: 1 })) }],
    ["whose e-mail is null", { emails: (all) => all.map(having({ email: null })) }],
    ["whose e-mail has no @", { emails: (all) => all.map(having({ email: "wren" })) }],
    ["whose e-mail has a NUL", { emails: (all) => all.map(having({ email: `\0${wren.email}` })) }],
    ["whose e-mail has half a character", { emails: (all) => all.map(having({ email: `\ud800${wren.email}` })) }],
    ["whose e-mail has 400 characters", { emails: (all) => all.map(having({ email: wren.email.padStart(400, "w") })) }],
    ["that answers the code with an error", { token: () => ({ error: "bad_verification_code" }) }],
    ["that gives no token", { token: () => ({ token_type: "bearer" }) }],
    ["that gives an empty token", { token: having({ access_token: "" }) }],
    ["that gives a number for a token", { token: having({ access_token: 1 }) }],
    ["that gives a token of another type", { token: having({ token_type: "mac" }) }],
    ["that answers the code with a list", { token: () => [] }],
  ])("%s", async (_what, change) => {
    const callback = await onTheWayBack("github");
    Object.assign(faultsOf("github").change, change);
    await failsAtCallback("github", callback);
    faultsOf("github").change = { token: remembered };
    expect((await signsIn("github")).user.email).toBe(wren.email);
  });

  test("that gives a token which cannot be sent, and the log does not tell it", async () => {
    for (const access_token of ["wren's\0key", "wren's\nkey", "wren's-kéy", "wren's-€"]) {
      const callback = await onTheWayBack("github");
      secrets.add("wren's");
      faultsOf("github").change.token = having({ access_token });
      await failsAtCallback("github", callback);
    }
  });
});

/** A server of the test's own; resolves with its address. */
async function startAnswering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = z.object({ port: z.number() }).parse(server.address());
  return `http://127.0.0.1:${address.port}`;
}

test.each(providers)("a refusal of %s's tells the log its kind, and none of its words", async (provider) => {
  const callback = await onTheWayBack(provider);
  secrets.add("from the wire");
  const body = { error: "invalid_grant", error_description: "from the wire", code: "from the wire" };
  const there = await startAnswering((_request, response) => {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  faultsOf("google").change.discovery = having({ token_endpoint: there });
  const variables = provider === "github" ? { GITHUB_URL: there } : undefined;
  await failsAtCallback(provider, callback, await startColdSite(variables));
});

describe("a redirect of the provider's is not followed", () => {
  /** An address that sends whoever asks to the same path elsewhere, where all would be well. */
  function startRedirecting(to: string): Promise<string> {
    return startAnswering(({ url }, response) => response.writeHead(307, { location: `${to}${url}` }).end());
  }

  test("by Google's discovery", async () => {
    const issuer = await startRedirecting(world.google.issuer);
    faultsOf("google").change.discovery = having({ issuer });
    await failsAtAuthorize(await startColdSite({ GOOGLE_ISSUER: issuer }));
  });

  test.each([
    ["token_endpoint", "/token"],
    ["jwks_uri", "/jwks"],
  ])("by Google's %s", async (name, path) => {
    const callback = await onTheWayBack("google");
    const elsewhere = await startRedirecting(world.google.issuer);
    faultsOf("google").change.discovery = having({ [name]: elsewhere + path });
    await failsAtCallback("google", callback, await startColdSite());
  });

  test.each([
    ["token", "/login/oauth/access_token", (there: string) => ({ GITHUB_URL: there })],
    ["user", "/api/user", (there: string) => ({ GITHUB_API_URL: `${there}/api` })],
  ])("by GitHub's %s", async (_what, path, variables) => {
    const before = world.github.requests.filter((request) => request.endsWith(path)).length;
    const callback = await onTheWayBack("github");
    const site = await startColdSite(variables(await startRedirecting(world.github.url)));
    await failsAtCallback("github", callback, site);
    expect(world.github.requests.filter((request) => request.endsWith(path))).toHaveLength(before);
  });
});
