import { once } from "node:events";
import { createServer } from "node:http";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type Endpoint, type Fault, type IdentityFaults, noIdentityFaults } from "../../dev/identity/faults.ts";
import { type Provider, providers } from "../../src/auth/session.ts";
import type { Database } from "../../src/database/open.server.ts";
import {
  type AccountsSite,
  beginSignIn,
  comeBack,
  leadsTo,
  type SessionAnswer,
  signIn,
  startAccountsSite,
} from "../support/accounts.ts";
import { freePort } from "../support/free-port.ts";
import { continueAs } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed, type Site, startSite } from "../support/site.ts";

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
  for (const provider of providers) Object.assign(faultsOf(provider), noIdentityFaults());
  for (const provider of providers) faultsOf(provider).change.token = remembered;
  for (const secret of [wren.email, world.google.clientSecret, world.github.clientSecret]) secrets.add(secret);
});
afterEach(() => {
  const lines = sites.flatMap(({ log }) => log);
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  secrets.clear();
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
async function startColdSite(more: Record<string, string> = {}): Promise<Site> {
  const site = await startSite({ ...world.variables, ...more, PORT: String(await freePort()) });
  onTestFinished(() => site.end().then());
  sites.push(site);
  return site;
}

/** How much is stored about accounts. */
async function stored() {
  const { rows } = await sql`select
    (select count(*)::integer from users) as users, (select count(*)::integer from identities) as identities,
    (select count(*)::integer from sessions) as sessions, (select count(*)::integer from flows) as flows`.execute(
    database.db,
  );
  return rows[0];
}

const nothing = { users: 0, identities: 0, sessions: 0, flows: 0 };

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

const failure = { error: "server_error", error_code: "unexpected_failure", error_description: /does not work just now/ };
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

const warning = z.looseObject({ level: z.literal(40), provider: z.enum(providers), reason: z.string().min(5) });

/** The warnings about failed sign-ins, once there are as many. */
function warnings(site: Site, count: number) {
  return vi.waitFor(() => {
    const lines = site.log.filter((line) => line.includes("A sign-in failed"));
    expect(lines).toHaveLength(count);
    return lines.map((line) => warning.parse(JSON.parse(line)));
  });
}

/** The way back fails, is in the log, and leaves nothing. */
async function failsAtCallback(provider: Provider, callback: string, site = world.site): Promise<void> {
  const before = site.log.filter((line) => line.includes("A sign-in failed")).length;
  await leadsBackWith(failure, at(site, callback));
  expect((await warnings(site, before + 1)).at(-1)?.provider).toBe(provider);
  expect(await stored()).toEqual(nothing);
}

function signsIn(provider: Provider): Promise<SessionAnswer> {
  return signIn(origin, provider, wren);
}

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
  test.each(shortFaults)("%s: the way back tells of an error, nothing is stored, and the next sign-in works", async (_what, fault) => {
    const callback = await onTheWayBack(provider);
    faultsOf(provider).endpoints.set(endpoint, fault);
    await failsAtCallback(provider, callback);
    faultsOf(provider).endpoints.clear();
    expect((await signsIn(provider)).user.email).toBe(wren.email);
  });

  test("is late: the sign-in waits for it", async () => {
    faultsOf(provider).endpoints.set(endpoint, { kind: "slow", ms: 300 });
    expect((await signsIn(provider)).user.email).toBe(wren.email);
  });
});
