import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { banUser, deleteUser } from "../../src/accounts/end-account.server.ts";
import { linkIdentity, type VerifiedIdentity } from "../../src/auth/store/link-identity.server.ts";
import { forgetDeletedAccounts } from "../../src/auth/store/manage-users.server.ts";
import { defaultDeadline } from "../../src/database/query/transaction-before.server.ts";
import { providers } from "../../src/domain/account.ts";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { givenEarlier, givenIdentity, givenNone } from "../support/given.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { countRows, storedRows } from "../support/stored.ts";

// How identities find their users (docs/product.md §6.9, §6.10), without HTTP.

const database = await setUpDatabase();
const { db } = database;
beforeEach(() => givenNone(db, "users", "banned_identities", "audit"));

async function signIn(identity: VerifiedIdentity): Promise<string> {
  // More time than concurrent ones take on a slow machine.
  const linked = await linkIdentity(db, identity, async () => {}, defaultDeadline(60_000));
  if (!("refused" in linked)) return linked.userId;
  return linked.refused === "user_banned" ? "banned" : "unverified";
}

function identityOf(provider: VerifiedIdentity["provider"], subject: string) {
  return (email: string, emailVerified = true) => signIn({ provider, subject, email, emailVerified });
}

async function confirmedEmails(): Promise<Map<string, string>> {
  const users = await storedRows(db, "users", ["id", "email", "email_confirmed_at"]);
  return new Map(users.filter((user) => user.email_confirmed_at).map(({ id, email }) => [id, email]));
}

test.each([
  ["the other case", "Wren@people.example", "WREN@people.example", true],
  ["the Kelvin sign", "mi\u212ae@people.example", "mike@people.example", false],
  ["a dotted capital i", "\u0130da@people.example", "ida@people.example", false],
  ["an accent in the other case", "zo\u00cb@people.example", "zo\u00eb@people.example", false],
  ["another form of the same accent", "zoe\u0308@people.example", "zo\u00eb@people.example", false],
])("%s: ASCII letters alone are folded, it is the same e-mail or not", async (_case, first, other, same) => {
  const id = await identityOf("google", "1")(first);
  expect((await identityOf("github", "1")(other)) === id).toBe(same);
});

test("a ban outlives the deletion of its user", async () => {
  const google = identityOf("google", "1");
  const id = await google("wren@people.example");
  await banUser(db, id, { removeReviews: false });
  await deleteUser(db, id);
  expect(await google("moved@people.example")).toBe("banned");
  const others = [
    () => identityOf("github", "1")("wren@people.example"),
    () => identityOf("google", "2")("WREN@People.example"),
    () => identityOf("google", "3")("wren@people.example", false),
  ];
  // By the e-mail, for 30 days.
  for (const signInAgain of others.slice(0, 2)) expect(await signInAgain()).toBe("banned");
  expect(await identityOf("github", "4")("ren@people.example")).not.toBe("banned");
  await givenEarlier(db, "banned_identities", ["ends_at"], { days: 30 });
  expect(await google("moved@people.example")).toBe("banned");
  for (const signInAgain of others) expect(await signInAgain()).not.toBe("banned");
  await forgetDeletedAccounts(db);
  expect(await countRows(db, ["banned_identities"])).toEqual({ banned_identities: 1 });
});

test("the user's e-mail follows the provider's verified one", async () => {
  const google = identityOf("google", "1");
  const id = await google("old@people.example");
  expect(await google("boss@people.example", false)).toBe(id);
  expect((await storedRows(db, "users", ["email"]))[0]?.email).toBe("old@people.example");
  expect(await google("new@people.example")).toBe(id);
  expect(await confirmedEmails()).toEqual(new Map([[id, "new@people.example"]]));
  expect(await google("new@people.example", false)).toBe(id);
  expect(await confirmedEmails()).toEqual(new Map());
});

const mailbox = "wren@people.example";

test.each(providers)("a mailbox's new owner at %s is a new user; both keep their own", async (provider) => {
  const [former, next] = [identityOf(provider, "1"), identityOf(provider, "2")];
  const formerId = await former(mailbox);
  const nextId = await next(mailbox);
  expect(nextId).not.toBe(formerId);
  expect(await confirmedEmails()).toEqual(new Map([[nextId, mailbox]]));
  expect(await former(mailbox)).toBe(formerId);
  expect(await next(mailbox)).toBe(nextId);
  expect(await confirmedEmails()).toEqual(new Map([[nextId, mailbox]]));
});

test("two subjects of one provider that share a user stay together, and out of a mailbox with a new owner", async () => {
  const id = await identityOf("google", "1")(mailbox);
  await givenIdentity(db, { subject: "2", user_id: id, email: mailbox });
  expect(await identityOf("google", "2")(mailbox)).toBe(id);
  // Google verifies it for another user, who then leaves: neither of the two gets the mailbox back.
  const next = await identityOf("google", "3")(mailbox);
  expect(next).not.toBe(id);
  await deleteUser(db, next);
  expect(await identityOf("google", "1")("moved@people.example", false)).toBe(id);
  expect((await confirmedEmails()).has(id)).toBe(false);
  expect(await identityOf("github", "9")(mailbox)).not.toBe(id);
});

const identity: fc.Arbitrary<VerifiedIdentity> = fc.record({
  provider: fc.constantFrom(...providers),
  subject: fc.constantFrom("1", "2", "3"),
  email: fc.constantFrom("a@people.example", "A@people.example", "b@people.example", "c@people.example"),
  emailVerified: fc.boolean(),
});

test("concurrent sign-ins succeed or are refused, and each can be repeated", async () => {
  // Each retry may lose against another one: no more than a transaction has attempts.
  const concurrent = fc.array(identity, { minLength: 2, maxLength: 4 });
  const histories = fc.array(concurrent, { minLength: 1, maxLength: 5 });
  const check = untilTimeLimit(async (rounds: VerifiedIdentity[][]) => {
    await givenNone(db, "users");
    const known = new Map<string, string>();
    for (const round of rounds) {
      const results = await Promise.all(round.map(signIn));
      for (const [index, { provider, subject }] of round.entries()) {
        const user = results[index] ?? expect.fail();
        if (user === "unverified") continue;
        expect(user).toBe(known.get(provider + subject) ?? user);
        known.set(provider + subject, user);
      }
      for (const repeated of round) {
        const user = known.get(repeated.provider + repeated.subject);
        if (user !== undefined) expect(await signIn(repeated)).toBe(user);
      }
    }
    for (const provider of providers) {
      const users = [...known].filter(([key]) => key.startsWith(provider)).map(([, user]) => user);
      expect(new Set(users).size).toBe(users.length);
    }
  });
  await fc.assert(fc.asyncProperty(histories, check), fuzzRuns(10));
});
