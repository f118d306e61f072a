import { afterAll, afterEach, expect, test, vi } from "vitest";
import { noIdentityFaults } from "../../dev/fake-identity-providers/faults.ts";
import { redirectTarget, signIn, signInUpToCallback, startAccountsSite } from "../support/accounts.ts";
import { givenRefresh } from "../support/given.ts";
import { setUpClock, setUpDatabase } from "../support/set-up.ts";

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

const setClock = (ahead: number) => clock.set(ahead * 1000);
const newPerson = () => ({ email: `${crypto.randomUUID()}@people.example` });
const nowInSeconds = () => Math.floor(Date.now() / 1000);

async function withClock(ahead: number) {
  await setClock(ahead);
  const { log } = accountsSite.site;
  const from = log.length;
  return (text = "clock") => log.slice(from).filter((line) => line.includes(text));
}

/** Google's time may pass meanwhile, and its `Date` has whole seconds. */
async function expectReport(readLines: () => string[], ahead: number): Promise<void> {
  await vi.waitFor(() => expect(readLines()).toHaveLength(1), waitOptions);
  const [, seconds, direction] =
    /This machine's clock is (\d+) s (ahead of|behind) Google's/.exec(readLines()[0] ?? "") ?? expect.fail();
  const late = Number(seconds) * (direction === "behind" ? -1 : 1) - ahead;
  expect(late >= -2 && late <= 10, `${late} s`).toBe(true);
}

async function expectFailureWithGoogle(): Promise<void> {
  const { callback } = await signInUpToCallback(accountsSite.site.origin, "google", newPerson());
  expect((await redirectTarget(callback)).searchParams.get("error_code")).toBe("unexpected_failure");
}

test.each([
  ["4 minutes 40 seconds ahead", 4 * MINUTE + 40],
  ["4 minutes behind", -4 * MINUTE],
  ["an hour ahead", HOUR],
  ["3 days behind", -3 * DAY],
])("with a clock %s users sign in, and the log reports more than five minutes", async (_name, ahead) => {
  const lines = await withClock(ahead);
  const isTolerated = Math.abs(ahead) < 5 * MINUTE;
  const short = () => ({ exp: nowInSeconds() + 30, nbf: nowInSeconds() });
  if (isTolerated) accountsSite.google.faults.tamper = (claims) => ({ ...claims, ...short() });
  await signIn(accountsSite.site.origin, "google", newPerson());
  if (isTolerated) expect(lines()).toEqual([]);
  else await expectReport(lines, ahead);
});

test("with a clock 70 minutes ahead Google's sign-ins fail, and the log says why; GitHub's work", async () => {
  const lines = await withClock(70 * MINUTE);
  await expectFailureWithGoogle();
  await expectReport(() => lines("A sign-in failed"), 70 * MINUTE);
  await signIn(accountsSite.site.origin, "github", newPerson());
});

test.each([
  ["has expired", 0, () => ({ exp: nowInSeconds() - 60 })],
  ["has expired by Google's clock", -4 * MINUTE, () => ({ exp: nowInSeconds() - 60 })],
  ["is not valid yet", 0, () => ({ nbf: nowInSeconds() + HOUR })],
])("a token that %s is refused, and the clock is not blamed", async (_name, ahead, claims) => {
  const lines = await withClock(ahead);
  accountsSite.google.faults.tamper = (original) => ({ ...original, ...claims() });
  await expectFailureWithGoogle();
  await vi.waitFor(() => expect(lines("A sign-in failed")).toHaveLength(1), waitOptions);
  expect(lines()).toEqual([]);
});
