import { CommanderError } from "commander";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createProgram } from "../../src/cli/commands.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { setUpAdminDatabase } from "../support/admin-database.ts";
import { givenChanged, givenIdentity, givenSession } from "../support/given.ts";
import { showId, userId } from "../support/programme.ts";
import { auditRows, countRows, expectTrueTallies, storedRows } from "../support/stored.ts";

const database = await setUpAdminDatabase(
  ["Moth Hour", "Sit\u001b[2J Back"],
  [
    { show: 0, user: 0, interaction: "yes", at: 1 },
    { show: 0, user: 1, interaction: "very_little", at: 2 },
    { show: 1, user: 0, interaction: "no", at: 3 },
  ],
);
const { db, run: admin, runProcess } = database;

async function addAccount(id: string, email: string): Promise<void> {
  await givenChanged(db(), "users", { email, email_confirmed_at: new Date() }, { id });
  await givenIdentity(db(), { user_id: id, email });
  await givenSession(db(), { user_id: id });
}

const userIds = async () => (await storedRows(db(), "users", ["id"])).map(({ id }) => id);

/** Ids of the programme's eight users, except one. */
const allUsersExcept = (excluded: number) =>
  [0, 1, 2, 3, 4, 5, 6, 7].filter((user) => user !== excluded).map(userId);

test("delete-user deletes identities, sessions and reviews, and updates the tallies", async () => {
  await addAccount(userId(0), "Wren@people.example");
  expect(await admin("delete-user", "wren@PEOPLE.example")).toEqual({
    exit: 0,
    out: `Deleted Wren@people.example (${userId(0)}): 1 identity, 1 session, 2 reviews.\n`,
    err: "",
  });
  expect(await userIds()).toEqual(allUsersExcept(0));
  const counts = { identities: 0, sessions: 0, reviews: 1 };
  expect(await countRows(db(), ["identities", "sessions", "reviews"])).toEqual(counts);
  const details = { user_id: userId(0), identities: 1, sessions: 1, reviews: 2 };
  await expectAudit({ action: "delete-user", details });
});

test("delete-user finds a user by id, and refuses an ambiguous e-mail, with the ids of its users", async () => {
  await givenChanged(db(), "users", { email: "same@people.example" });
  const { exit, out, err } = await admin("delete-user", "same@people.example");
  expect({ exit, out }).toEqual({ exit: 1, out: "" });
  for (const id of [userId(0), userId(1)]) expect(err).toContain(id);
  for (const who of ["nobody@people.example", "00000000-0000-4000-8000-00000000dead", "' or true --"])
    expect(await admin("delete-user", who)).toEqual({ exit: 1, out: "", err: `There is no user ${who}.\n` });
  expect(await userIds()).toHaveLength(8);
  expect(await auditRows(db())).toEqual([]);
  expect(await admin("delete-user", userId(1))).toMatchObject({ exit: 0, err: "" });
  expect(await userIds()).toEqual(allUsersExcept(1));
});

const refused = `delete-user, delete-user a b, delete-user a --remove-reviews, list-reviews, list-reviews a,
  list-reviews --show, remove-review a, remove-notes a b c, move-reviews a, undo-move, ban-user, backup,
  unban-user a --remove-reviews, restore a b, decide-report 1, remove-reviews, decide-report 1 keep,
  decide-report 1 ban --for-good, delete-everybody a, --frobnicate`;

test.each(["", ...refused.split(/,\s+/)])("the arguments '%s' are refused with the usage", async (line) => {
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => stderr.mockRestore());
  const run = vi.fn();
  const outcome = await createProgram(run)
    .parseAsync(line.split(" ").filter(Boolean), { from: "user" })
    .catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(CommanderError);
  expect(outcome).not.toMatchObject({ exitCode: 0 });
  expect(stderr.mock.calls.join("")).toContain("Usage: npm run admin -- ");
  expect(run).not.toHaveBeenCalled();
});

test("--help explains every command; an unknown command exits with 2", async () => {
  const err = expect.stringContaining("Usage: npm run admin");
  expect(await runProcess(["delete-everybody"])).toEqual({ exit: 2, out: "", err });
  const { exit, out } = await runProcess(["--help"]);
  expect(exit).toBe(0);
  const names = createProgram(async () => {}).commands.map((command) => command.name());
  expect(names).toContain("list-reviews");
  for (const name of names) expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
});

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
  moth0: `${YEAR}-08-01T00:01:00.000Z ${ofMothHour} by ${by(0)}: yes\n`,
  moth1: `${YEAR}-08-01T00:02:00.000Z ${ofMothHour} by ${by(1)}: very_little\n`,
  back0: `${YEAR}-08-01T00:03:00.000Z ${ofSitBack} by ${by(0)}: no\n`,
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
});

test("remove-notes keeps interaction and time, remove-review keeps nothing, and the tallies follow", async () => {
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
