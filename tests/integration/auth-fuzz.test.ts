import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { noIdentityFaults } from "../../dev/fake-identity-providers/faults.ts";
import { providers } from "../../src/domain/account.ts";
import {
  callAuth,
  exchangeCode,
  readSession,
  redirectTarget,
  signInUpToCallback,
} from "../support/accounts.ts";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { givenNone } from "../support/given.ts";
import { setUpAccounts } from "../support/set-up.ts";
import { countAccountRows, noAccountRows, storedRows } from "../support/stored.ts";

const { db, accountsSite, origin } = await setUpAccounts();

type Fields = Record<string, unknown>;

const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom("\0", "\ud800", "", "x".repeat(5_000), -1, 2 ** 53, 1e300, "true", [], {}, "__proto__"),
  fc.string({ unit: "binary" }),
);

const fieldNames =
  "access_token token_type expires_in id_token scope id email verified primary sub iss aud exp iat nonce at_hash email_verified azp kid alg __proto__ error";
const fieldName = fc.constantFrom(...fieldNames.split(" "));

const fieldChange = fc.tuple(fieldName, fc.option(oddValue, { nil: undefined, freq: 5 }));
const fieldChanges = fc.array(fieldChange, { minLength: 1, maxLength: 2 }).map((changes) => {
  return (fields: Fields): Fields => ({ ...fields, ...Object.fromEntries(changes) });
});

const providerFaults = fc.record({
  provider: fc.constantFrom(...providers),
  target: fc.constantFrom("claims", "token", "user", "emails"),
  change: fieldChanges,
  /** In place of the whole response, or null. */
  replacement: fc.option(fc.record({ value: oddValue }), { freq: 1 }),
});
type ProviderFaults = typeof providerFaults extends fc.Arbitrary<infer Value> ? Value : never;

test("a mutated provider response completes the sign-in or stores nothing", async () => {
  const check = untilTimeLimit(async ({ provider, target, change, replacement }: ProviderFaults) => {
    const { faults } = accountsSite[provider];
    Object.assign(faults, noIdentityFaults());
    await givenNone(db, "users", "sign_ins");
    const wren = { email: "wren@people.example" };
    const { callback, verifier } = await signInUpToCallback(origin, provider, wren);
    if (target === "claims") faults.tamper = change;
    else if (replacement) faults.change[target] = () => replacement.value;
    else if (target === "emails") faults.change.emails = (all) => all.map(change);
    else faults.change[target] = change;
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
  });
  await fc.assert(fc.asyncProperty(providerFaults, check), fuzzRuns(10));
  expect((await callAuth(origin, "/health")).status).toBe(200);
  const isError = (line: string) => z.object({ level: z.number() }).parse(JSON.parse(line)).level >= 50;
  expect(accountsSite.site.log.filter(isError)).toEqual([]);
});
