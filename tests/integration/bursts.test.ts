import { expect, test } from "vitest";
import { runAdmin } from "../support/admin.ts";
import { ago, givenNone, givenReviews, givenShows, givenUser } from "../support/given.ts";
import { userId } from "../support/programme.ts";
import { setUpDatabase } from "../support/set-up.ts";

const database = await setUpDatabase();
const { db } = database;
const silent = { exit: 0, out: "There is no burst.\n", err: "" };
const bursts = (...args: string[]) => runAdmin(database, ["bursts", ...args]);

/** Accounts that review one show, the first now minus `hours`, each of the others `minutes` later. */
interface Crowd {
  accounts?: number;
  minutes?: number;
  hours?: number;
  days?: number;
  others?: boolean;
}

async function givenCrowd(crowd: Crowd) {
  const { accounts = 6, minutes = 1, hours = 30, days = 1, others = false } = crowd;
  await givenNone(db, "shows", "users");
  await givenShows(db, [{ title: "Moth\u001b[2J Hour" }, { title: "Other" }]);
  for (let n = 1; n <= accounts; n++) {
    const user_id = userId(n);
    const id = { id: user_id, email: `${n}@people.example` };
    await givenUser(db, { ...id, created_at: ago({ days, hours }) });
    const created_at = ago({ hours, minutes: -(n - 1) * minutes });
    const notes = n === 1 ? "Go \u001b]0;x\u0007and\nsee \u202eit." : null;
    await givenReviews(db, [{ show_id: "show-1", user_id, created_at, notes }]);
    if (others) await givenReviews(db, [{ show_id: "show-2", user_id, created_at: ago({ days: 5 }) }]);
  }
}

test.each<[string, found: boolean, Crowd]>([
  ["six accounts within an hour", true, {}],
  ["five accounts", false, { accounts: 5 }],
  ["six accounts in an hour and a bit", false, { minutes: 13 }],
  ["more accounts, six of them within some hour", true, { accounts: 12, minutes: 11 }],
  ["old accounts with no other review", true, { days: 20 }],
  ["old accounts with other reviews", false, { days: 20, others: true }],
  ["accounts on their first day with other reviews", true, { days: 0, others: true }],
  ["eight days ago", false, { hours: 24 * 8 }],
])("a burst: %s: %s", async (_, found, crowd) => {
  await givenCrowd(crowd);
  expect((await bursts()).out !== silent.out).toBe(found);
});

test("the command lists the accounts with age, reviews and words, harmless on a terminal, ready for quarantine", async () => {
  await givenCrowd({ accounts: 7, days: 3, hours: 2 });
  const { out } = await bursts();
  const ids = [1, 2, 3, 4, 5, 6, 7].map(userId);
  const lines = out.trimEnd().split("\n");
  expect(lines[0]).toMatch(
    /^“Moth\\u\{1b\}\[2J Hour” \(show-1\): 7 young or once-only accounts, \S+Z to \S+Z$/,
  );
  expect(lines.slice(1, 8)).toEqual(
    ids.map(
      (id, n) =>
        `  ${n + 1}@people.example (${id}), 3 days old, 1 review: yes${n === 0 ? ": Go \\u{1b}]0;x\\u{7}and\\nsee \\u{202e}it." : ""}`,
    ),
  );
  expect(lines.at(-1)).toBe(`  npm run admin -- quarantine ${ids.join(" ")}`);
  expect(await bursts("--since", "2099-01-01")).toEqual(silent);
  await runAdmin(database, ["quarantine", ...ids]);
  expect(await bursts()).toEqual(silent);
});
