import { afterAll, afterEach, expect, test, vi } from "vitest";
import { noIdentityFaults } from "../../dev/fake-identity-providers/faults.ts";
import { redirectTarget, signIn, signInUpToCallback, startAccountsSite } from "../support/accounts.ts";
import { givenRefresh } from "../support/given.ts";
import { setUpClock, setUpDatabase } from "../support/set-up.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const database = await setUpDatabase();
await givenRefresh(database.db);
const clock = await setUpClock();
const accountsSite = await startAccountsSite({ DATABASE_URL: database.url, ...clock.variables });
afterAll(accountsSite.close);
afterEach(async () => {
  Object.assign(accountsSite.google.faults, noIdentityFaults());
  await setClock(0);
});

const setClock = (ahead: number) => clock.set(ahead * 1000);
const newPerson = () => ({ email: `${crypto.randomUUID()}@people.example` });
const nowInSeconds = () => Math.floor(Date.now() / 1000);

async function expectFailureWithGoogle(): Promise<void> {
  const { log, origin } = accountsSite.site;
  const from = log.length;
  const { callback } = await signInUpToCallback(origin, "google", newPerson());
  expect((await redirectTarget(callback)).searchParams.get("error_code")).toBe("unexpected_failure");
  const reasons = () => log.slice(from).filter((line) => line.includes("A sign-in failed"));
  await vi.waitFor(
    () => expect(reasons()).toEqual([expect.stringContaining("OAUTH_JWT_TIMESTAMP_CHECK_FAILED")]),
    { timeout: 10_000 },
  );
}

test.each([
  ["a minute ahead", MINUTE],
  ["a minute behind", -MINUTE],
])("a clock %s is tolerated, even for tokens of short validity", async (_name, ahead) => {
  await setClock(ahead);
  const short = () => ({ exp: nowInSeconds() + 30, nbf: nowInSeconds() });
  accountsSite.google.faults.tamper = (claims) => ({ ...claims, ...short() });
  await signIn(accountsSite.site.origin, "google", newPerson());
});

test("with a clock hours ahead Google's sign-ins fail, and the log says why; GitHub's work", async () => {
  await setClock(5 * HOUR);
  await expectFailureWithGoogle();
  await signIn(accountsSite.site.origin, "github", newPerson());
  await setClock(0);
  await signIn(accountsSite.site.origin, "google", newPerson());
});

test.each([
  ["has expired", { exp: () => nowInSeconds() - 3 * MINUTE }],
  ["expired long ago", { exp: () => nowInSeconds() - 24 * HOUR }],
  ["is not valid yet", { nbf: () => nowInSeconds() + HOUR }],
])("a token that %s is refused", async (_name, claims) => {
  const overrides = Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, value()]));
  accountsSite.google.faults.tamper = (original) => ({ ...original, ...overrides });
  await expectFailureWithGoogle();
});
