import { describe, expect, test } from "vitest";
import { setUpAdminDatabase } from "../support/admin-database.ts";
import { givenChanged, givenReviews, givenUsers } from "../support/given.ts";
import { showId, userId } from "../support/programme.ts";
import { auditRows, expectTrueTallies, storedRows } from "../support/stored.ts";

const {
  db,
  run: admin,
  runProcess,
} = setUpAdminDatabase(
  ["Moth Hour", "Sit\u001b[2J Back"],
  [
    { show: 0, user: 0, interaction: "yes", at: 1 },
    { show: 0, user: 1, interaction: "very_little", at: 2 },
    { show: 1, user: 0, interaction: "no", at: 3 },
  ],
);

const writeNotes = (show: number, user: number, notes: string) =>
  givenChanged(db(), "reviews", { notes }, { show_id: showId(show), user_id: userId(user) });

const reviews = () =>
  storedRows(db(), "reviews", [
    ...(["show_id", "user_id", "audience_interaction", "notes", "created_at", "note_id"] as const),
  ]);

/** The audit log has exactly these rows, and the tallies equal a recount. */
async function expectAudit(...rows: object[]): Promise<void> {
  expect(await auditRows(db())).toEqual(rows);
  await expectTrueTallies(db());
}

const ofMothHour = `“Moth Hour” (${showId(0)})`;
const ofSitBack = `“Sit\\u{1b}[2J Back” (${showId(1)})`;
const by = (user: number) => `${user}@people.example (${userId(user)})`;
const lines = {
  moth0: `2025-08-01T00:01:00.000Z ${ofMothHour} by ${by(0)}: yes\n`,
  moth1: `2025-08-01T00:02:00.000Z ${ofMothHour} by ${by(1)}: very_little\n`,
  back0: `2025-08-01T00:03:00.000Z ${ofSitBack} by ${by(0)}: no\n`,
};

describe("list-reviews", () => {
  test.each([
    [["--show", showId(0)], lines.moth1 + lines.moth0],
    [["--user", userId(0)], lines.back0 + lines.moth0],
    [["--user", "0@PEOPLE.example"], lines.back0 + lines.moth0],
    [["--user", userId(0), "--show", showId(0)], lines.moth0],
    [["--user", userId(7)], ""],
  ])("%j prints the reviews newest first, one per line", async (args, out) => {
    expect(await runProcess(["list-reviews", ...args])).toEqual({ exit: 0, out, err: "" });
    await expectAudit();
  });

  test("notes are printed on one line, with control and bidirectional characters escaped", async () => {
    await writeNotes(0, 0, "“Sit” at\nthe back\t\u001b[31m\u202egnp.exe 👩‍🎤\u2028<b>");
    const { out } = await runProcess(["list-reviews", "--show", showId(0), "--user", userId(0)]);
    const notes = "“Sit” at\\nthe back\\u{9}\\u{1b}[31m\\u{202e}gnp.exe 👩‍🎤\\u{2028}<b>";
    expect(out).toBe(lines.moth0.replace("yes\n", `yes: ${notes}\n`));
  });

  test("reviews on several pages of the query are printed once and in order, even with equal timestamps", async () => {
    const ids = await givenUsers(db(), 1_200);
    await givenReviews(
      db(),
      ids.map((user_id, index) => ({
        show_id: showId(0),
        user_id,
        created_at: new Date(Date.UTC(2025, 8, 1) - Math.floor(index / 700) * 1_000),
      })),
    );
    const { out } = await runProcess(["list-reviews", "--show", showId(0)]);
    const listed = out
      .trim()
      .split("\n")
      .map((line) => /\(([\w-]+)\): \w+$/.exec(line)?.[1]);
    const expected = [...ids.slice(0, 700).sort(), ...ids.slice(700).sort(), userId(1), userId(0)];
    expect(listed).toEqual(expected);
  });
});

test("remove-notes keeps interaction and time, remove-review nothing, and the tallies follow", async () => {
  await writeNotes(0, 0, "rude words");
  const [review, ...others] = await reviews();
  const notesOut = `Removed the notes in the review of ${ofMothHour} by ${by(0)}; its answer stays.\n`;
  expect(await admin("remove-notes", showId(0), userId(0))).toEqual({ exit: 0, out: notesOut, err: "" });
  expect(await reviews()).toEqual([{ ...review, notes: null, note_id: expect.any(String) }, ...others]);
  const details = { show_id: showId(0), user_id: userId(0) };
  await expectAudit({ action: "remove-notes", details });
  const out = `Removed the review of ${ofMothHour} by ${by(0)}.\n`;
  expect(await admin("remove-review", showId(0), "0@people.EXAMPLE")).toEqual({ exit: 0, out, err: "" });
  expect(await reviews()).toEqual(others);
  await expectAudit({ action: "remove-notes", details }, { action: "remove-review", details });
});

test.each([
  [["list-reviews", "--show", "nowhere"], "There is no show nowhere."],
  [["list-reviews", "--user", "nobody"], "There is no user nobody."],
  [["remove-review", "nowhere", userId(0)], "There is no show nowhere."],
  [["remove-review", showId(0), "nobody"], "There is no user nobody."],
  [["remove-review", showId(0), userId(7)], `There is no review of ${ofMothHour} by ${by(7)}.`],
  [["remove-notes", showId(0), userId(1)], `There are no notes in a review of ${ofMothHour} by ${by(1)}.`],
  [["remove-notes", showId(0), userId(7)], `There are no notes in a review of ${ofMothHour} by ${by(7)}.`],
])("%j fails with one line and changes nothing", async (args, line) => {
  const before = await reviews();
  expect(await admin(...args)).toEqual({ exit: 1, out: "", err: `${line}\n` });
  expect(await reviews()).toEqual(before);
  await expectAudit();
});
