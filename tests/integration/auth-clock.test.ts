import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { noIdentityFaults } from "../../dev/fake-identity-providers/faults.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import { redirectTarget, signIn, signInUpToCallback, startAccountsSite } from "../support/accounts.ts";
import { givenRefresh } from "../support/given.ts";
import { setUpClock, setUpDatabase } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";

/** Other processes get this long on a busy machine. */
const waitOptions = { timeout: 10_000 };

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const database = await setUpDatabase();
await givenRefresh(database.db);
const clock = await setUpClock();
const accountsSite = await startAccountsSite({ DATABASE_URL: database.url, ...clock.variables });
afterAll(accountsSite.close);
afterEach(async () => {
  Object.assign(accountsSite.google.faults, noIdentityFaults());
  await setClock(0);
});

/** Sets the server's clock so many seconds ahead of the providers', or behind. */
const setClock = (ahead: number) => clock.set(ahead * 1000);

const newPerson = () => ({ email: `${crypto.randomUUID()}@people.example` });
const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** The log lines since the last call. */
let linesRead = 0;
function newLines(): string[] {
  const lines = accountsSite.site.log.slice(linesRead);
  linesRead = accountsSite.site.log.length;
  return lines;
}

/** The one line about the clock: how many seconds it is ahead, as the log says. */
async function reportedDifference(message: string): Promise<number> {
  let lines: string[] = [];
  await vi.waitFor(() => {
    lines = [...lines, ...newLines()].filter((line) => line.includes(message));
    expect(lines).toHaveLength(1);
  }, waitOptions);
  const [, seconds, direction] =
    /This machine's clock is (\d+) s (ahead of|behind) Google's/.exec(lines[0] ?? "") ??
    expect.fail(lines[0]);
  return Number(seconds) * (direction === "behind" ? -1 : 1);
}

/** Google's own time may pass meanwhile, and its `Date` has whole seconds. */
function expectDifference(actual: number, expected: number): void {
  expect(actual).toBeGreaterThanOrEqual(expected - 2);
  expect(actual).toBeLessThanOrEqual(expected + 10);
}

async function expectFailureWithGoogle(): Promise<void> {
  const { callback } = await signInUpToCallback(accountsSite.site.origin, "google", newPerson());
  expect((await redirectTarget(callback)).searchParams.get("error_code")).toBe("unexpected_failure");
}

testRows<[string, number]>(2, [
  ["4 minutes 40 seconds ahead", 4 * MINUTE + 40],
  ["4 minutes behind", -4 * MINUTE],
  ["3 minutes ahead", 3 * MINUTE],
])("a clock %s is tolerated without a word, even for tokens of short validity", async (_name, ahead) => {
  await setClock(ahead);
  newLines();
  const short = () => ({ exp: nowInSeconds() + 30, nbf: nowInSeconds() });
  accountsSite.google.faults.tamper = (claims) => ({ ...claims, ...short() });
  await signIn(accountsSite.site.origin, "google", newPerson());
  expect(newLines().filter((line) => line.includes("clock"))).toEqual([]);
});

testRows<[string, number]>(2, [
  ["an hour ahead", HOUR],
  ["3 days behind", -3 * DAY],
  ["20 minutes ahead", 20 * MINUTE],
  ["2 hours behind", -2 * HOUR],
])("with a clock %s people sign in, and the log says by how much it is wrong", async (_name, ahead) => {
  await setClock(ahead);
  newLines();
  await signIn(accountsSite.site.origin, "google", newPerson());
  expectDifference(await reportedDifference("clock"), ahead);
});

testRows<[string, number]>(1, [
  ["70 minutes ahead", 70 * MINUTE],
  ["5 hours ahead", 5 * HOUR],
  ["a year ahead", 365 * DAY],
])("with a clock %s Google's sign-ins fail, and the log says why; GitHub's work", async (_name, ahead) => {
  await setClock(ahead);
  newLines();
  await expectFailureWithGoogle();
  expectDifference(await reportedDifference("A sign-in failed"), ahead);
  await signIn(accountsSite.site.origin, "github", newPerson());
  await setClock(0);
  await signIn(accountsSite.site.origin, "google", newPerson());
});

test.each([
  ["a token that has expired", 0, { exp: () => nowInSeconds() - 60 }],
  ["a token that expired long ago", 0, { exp: () => nowInSeconds() - DAY }],
  ["a token that has expired by Google's clock", -4 * MINUTE, { exp: () => nowInSeconds() - 60 }],
  ["a token that is not valid yet", 0, { nbf: () => nowInSeconds() + HOUR }],
])("%s is refused, and the clock is not blamed", async (_name, ahead, claims) => {
  await setClock(ahead);
  newLines();
  const overrides = Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, value()]));
  accountsSite.google.faults.tamper = (original) => ({ ...original, ...overrides });
  await expectFailureWithGoogle();
  const lines: string[] = [];
  await vi.waitFor(() => {
    lines.push(...newLines());
    expect(lines.some((line) => line.includes("A sign-in failed"))).toBe(true);
  }, waitOptions);
  expect(lines.filter((line) => line.includes("clock"))).toEqual([]);
});

testRows<[string, number]>(1, [
  ["2 days ahead", 2 * DAY],
  ["an hour ahead", HOUR],
  ["a year ahead", 365 * DAY],
])("keys that Google replaced while the clock was %s are known once it is right", async (_name, ahead) => {
  const site = await startSite({ ...accountsSite.variables, PORT: String(await freePort()) });
  onTestFinished(() => site.stop().then());
  const trySignIn = async () => {
    const { callback } = await signInUpToCallback(accountsSite.site.origin, "google", newPerson());
    const result = await redirectTarget(callback.replace(accountsSite.site.origin, site.origin));
    return result.searchParams.get("error_code") ?? "signed in";
  };
  await setClock(ahead);
  const { change } = accountsSite.google.faults;
  accountsSite.google.faults.tamper = (claims) => ({ ...claims, exp: nowInSeconds() + 2 * 365 * DAY });
  const rename = (key: object) => ({ ...key, kid: "old" });
  change.jwks = ({ keys }) => ({ keys: z.array(z.looseObject({})).parse(keys).map(rename) });
  expect(await trySignIn()).toBe("unexpected_failure");
  await setClock(0);
  change.jwks = undefined;
  expect(await trySignIn()).toBe("signed in");
});
