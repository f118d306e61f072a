import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, afterEach, expect, test } from "vitest";
import { z } from "zod";
import { noIdentityFaults } from "../../dev/fake-identity-providers/faults.ts";
import type { Provider } from "../../src/auth/session.ts";
import {
  callAuth,
  exchangeCode,
  openState,
  readSession,
  redirectTarget,
  signInUpToCallback,
} from "../support/accounts.ts";
import { authRequests, resetSignIns, returnedId } from "../support/fuzz/auth-requests.ts";
import { expectNoInternals } from "../support/fuzz/expect-safe-response.ts";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { mutatedRequest } from "../support/fuzz/mutate-request.ts";
import {
  createSender,
  encodeRequest,
  type FuzzResponse,
  type RequestDraft,
} from "../support/fuzz/request.ts";
import { givenNone } from "../support/given.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { countAccountRows, noAccountRows, storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
const sender = createSender(origin, 1);
afterAll(sender.close);
const validRequests = await authRequests(db, accountsSite);
const { stored: storedBefore } = await readStored();
afterEach(async () => {
  expect((await callAuth(origin, "/health")).status).toBe(200);
  const isError = (line: string) => z.object({ level: z.number() }).parse(JSON.parse(line)).level >= 50;
  expect(accountsSite.site.log.filter(isError)).toEqual([]);
});

/** Returns all accounts without refresh counters, and the number of waiting codes but the inserted one. */
async function readStored() {
  const { rows } = await sql<{ stored: unknown; waiting: number }>`
    select (select count(*)::integer from sign_ins where code_hash is not null and exchanged_at is null and id <> ${returnedId}) as waiting, json_build_object(
      'users', (select json_agg(to_json(users) order by id) from users),
      'identities', (select json_agg(to_json(identities) order by id) from identities),
      'sessions', (select json_agg(json_build_array(id, user_id, provider, refresh_key, created_at) order by id) from sessions),
      'keys', (select json_agg(to_json(signing_keys) order by kid) from signing_keys)
    ) as stored`.execute(db);
  return rows[0] ?? expect.fail();
}

const nonEmpty = z.string().min(1);
const currentError = z.strictObject({ code: nonEmpty, message: nonEmpty });
const legacyError = z.strictObject({ code: z.int(), error_code: nonEmpty, msg: nonEmpty });

function expectContract(draft: RequestDraft, response: FuzzResponse): void {
  const { method } = draft;
  const { status, headers, body } = response;
  expect(status).toBeLessThan(500);
  // Refused without a body: more than 16 KB of request line and headers, and an invalid Host.
  if (status === 431) expect(encodeRequest({ ...draft, body: null }).length).toBeGreaterThan(15_000);
  if (body === "" && (status === 431 || (status === 400 && "Host" in draft.headers))) return;
  expectNoInternals(body);
  // Refused before the protocol: a path or query above 2 KB.
  if (status === 414) expect(encodeRequest({ ...draft, body: null }).length).toBeGreaterThan(2_000);
  if (status === 414) return;
  // Requests that pages of other sites cause in a browser are no navigations.
  if (status === 403 && body.includes("cross_site")) {
    expect(draft.path).toMatch(/^\/auth\/v1\/authorize/);
    expect(Object.keys(draft.headers).join()).toMatch(/Sec-Fetch-/i);
    expect(headers["cache-control"]).toBe("no-store");
    return;
  }
  if (status === 302 || status === 303) {
    const { origin, pathname } = new URL(String(headers.location));
    const allowed = [
      `${origin}/`,
      `${accountsSite.google.issuer}/auth`,
      `${accountsSite.github.url}/login/oauth/authorize`,
    ];
    expect(allowed).toContain(origin + pathname);
  } else if (status >= 400 && method !== "HEAD") {
    const form = headers["x-supabase-api-version"] ? currentError : legacyError;
    expect(form.safeParse(JSON.parse(body)).error).toBeUndefined();
  } else if (status !== 204 && method !== "HEAD") {
    expect(status).toBe(200);
    expect(JSON.parse(body)).toBeTypeOf("object");
  }
  const isKeySet = body.startsWith('{"keys":') || (method === "HEAD" && status === 200);
  if (!isKeySet) expect(headers["cache-control"]).toBe("no-store");
}

function redirectsToProvider({ headers: { location = "" } }: FuzzResponse): boolean {
  return [accountsSite.google.issuer, accountsSite.github.url].some((url) =>
    String(location).startsWith(`${url}/`),
  );
}

const isProtocolRequest = ({ path }: RequestDraft) =>
  URL.parse(`http://x${path}`)?.pathname.startsWith("/auth/v1/") === true;

test("a mutated request gets a response of the protocol and changes no account", async () => {
  await fc.assert(
    fc.asyncProperty(
      mutatedRequest(validRequests).filter(isProtocolRequest),
      untilTimeLimit(async (draft) => {
        await resetSignIns(db);
        const response = await sender.send(draft);
        expectContract(draft, response);
        if (redirectsToProvider(response)) {
          const { redirectTo } = await openState(db, String(response.headers.location));
          expect(new URL(redirectTo).origin).toBe(origin);
        }
        expect(await readStored()).toEqual({ stored: storedBefore, waiting: 0 });
      }),
    ),
    fuzzRuns(120),
  );
});

type Fields = Record<string, unknown>;

const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom("\0", "\ud800", "", "x".repeat(5_000), -1, 2 ** 53, 1e300, "true", [], {}, "__proto__"),
  fc.string({ unit: "binary" }),
);

const fieldNames =
  "access_token token_type expires_in id_token scope id email verified primary sub iss aud exp iat nonce at_hash email_verified azp kid alg __proto__ error";
const fieldName = fc.constantFrom(...fieldNames.split(" "));

const fieldChanges = fc
  .array(fc.tuple(fieldName, fc.option(oddValue, { nil: undefined, freq: 5 })), {
    minLength: 1,
    maxLength: 2,
  })
  .map(
    (changes) =>
      (fields: Fields): Fields => ({ ...fields, ...Object.fromEntries(changes) }),
  );

const wholes = ["whole user", "whole emails", "whole token"] as const;

const providerFaults = fc.record({
  provider: fc.constantFrom<Provider>("google", "github"),
  target: fc.constantFrom("token", "claims", "user", "emails", ...wholes),
  change: fieldChanges,
  replacement: oddValue,
});

type ProviderFault = typeof providerFaults extends fc.Arbitrary<infer Value> ? Value : never;

function applyFault({ provider, target, change, replacement }: ProviderFault): void {
  Object.assign(accountsSite[provider].faults, noIdentityFaults(), {
    tamper: target === "claims" ? change : (claims: Fields) => claims,
    change: {
      ...(target === "token" && { token: change }),
      ...(target === "user" && { user: change }),
      ...(target === "emails" && { emails: (all: Fields[]) => all.map(change) }),
      ...(target === "whole token" && { token: () => replacement }),
      ...(target === "whole user" && { user: () => replacement }),
      ...(target === "whole emails" && { emails: () => replacement }),
    },
  });
}

test("a mutated provider response completes the sign-in or stores nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      providerFaults,
      untilTimeLimit(async (fault) => {
        await givenNone(db, "users", "sign_ins");
        const { callback, verifier } = await signInUpToCallback(origin, fault.provider, {
          email: "wren@people.example",
        });
        applyFault(fault);
        const redirect = await redirectTarget(callback);
        expect(redirect.origin).toBe(origin);
        const code = redirect.searchParams.get("code");
        if (code === null) {
          expect(redirect.searchParams.get("error_code")).toBeTruthy();
          expect(await countAccountRows(db)).toEqual(noAccountRows);
          return;
        }
        const { user } = await readSession(await exchangeCode(origin, code, verifier));
        expect(await storedRows(db, "users", ["email"])).toEqual([{ email: user.email }]);
        expect(await countAccountRows(db)).toMatchObject({ identities: 1, waiting: 0 });
      }),
    ),
    fuzzRuns(10),
  );
});
