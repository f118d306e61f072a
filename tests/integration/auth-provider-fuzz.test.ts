import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noIdentityFaults } from "../../dev/fake-identity-providers/faults.ts";
import type { Provider } from "../../src/auth/session.ts";
import type { Database } from "../../src/database/open.server.ts";
import { type AccountsSite, comeBack, exchange, leadsTo, readSession, startAccountsSite } from "../support/accounts.ts";
import { rounds, whileThereIsTime } from "../support/fuzz/rounds.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed } from "../support/site.ts";

let database: Database;
let world: AccountsSite;

beforeAll(async () => {
  database = await createTestDatabase();
  await pretendRefreshed(database.db);
  world = await startAccountsSite(database.url);
});
afterAll(async () => {
  await world.close();
  await database.close();
});

type Fields = Record<string, unknown>;

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom("\0", "\ud800", "", "x".repeat(5_000), -1, 2 ** 53, 1e300, "true", [], {}, "__proto__"),
  fc.string({ unit: "binary" }),
);

/** Fields that providers send. */
const name = fc.constantFrom(
  ..."access_token token_type expires_in id_token scope id email verified primary sub iss aud exp iat nonce at_hash email_verified".split(
    " ",
  ),
  ..."azp kid alg __proto__ error".split(" "),
);

/** Some fields are something else, or missing. */
const spoiling = fc
  .array(fc.tuple(name, fc.option(odd, { nil: undefined, freq: 5 })), { minLength: 1, maxLength: 2 })
  .map(
    (changes) =>
      (fields: Fields): Fields => ({ ...fields, ...Object.fromEntries(changes) }),
  );

const where = fc.constantFrom("token", "claims", "user", "emails", "whole user", "whole emails", "whole token");

const sayings = fc.record({
  provider: fc.constantFrom<Provider>("google", "github"),
  where,
  spoil: spoiling,
  whole: odd,
});

type Saying = typeof sayings extends fc.Arbitrary<infer Value> ? Value : never;

function say({ provider, where, spoil, whole }: Saying): void {
  Object.assign(world[provider].faults, noIdentityFaults(), {
    tamper: where === "claims" ? spoil : (claims: Fields) => claims,
    change: {
      ...(where === "token" && { token: spoil }),
      ...(where === "user" && { user: spoil }),
      ...(where === "emails" && { emails: (all: Fields[]) => all.map(spoil) }),
      ...(where === "whole token" && { token: () => whole }),
      ...(where === "whole user" && { user: () => whole }),
      ...(where === "whole emails" && { emails: () => whole }),
    },
  });
}

/** Users with their identities, and how many sign-ins are under way. */
async function stored() {
  const { rows } = await sql<{ users: { email: string; identities: number }[] | null; flows: number }>`
    select (select count(*)::integer from flows) as flows, (select json_agg(json_build_object('email', email,
      'identities', (select count(*) from identities where user_id = users.id))) from users) as users`.execute(
    database.db,
  );
  return rows[0] ?? expect.fail();
}

test("whatever a provider says of somebody, they are signed in whole or not at all", async () => {
  await fc.assert(
    fc.asyncProperty(
      sayings,
      whileThereIsTime(async (saying) => {
        await sql`truncate users, flows cascade`.execute(database.db);
        const { origin } = world.site;
        const { callback, verifier } = await comeBack(origin, saying.provider, { email: "wren@people.example" });
        say(saying);
        const back = await leadsTo(callback);
        expect(back.origin).toBe(origin);
        const code = back.searchParams.get("code");
        if (code === null) {
          expect(back.searchParams.get("error_code")).toBeTruthy();
          expect(await stored()).toEqual({ users: null, flows: 0 });
          return;
        }
        const { user } = await readSession(await exchange(origin, code, verifier));
        expect(await stored()).toEqual({ users: [{ email: user.email, identities: 1 }], flows: 0 });
      }),
    ),
    rounds(50),
  );
  expect(world.site.log.filter((line) => !/^\{"level":[34]0,/.test(line))).toEqual([]);
});
