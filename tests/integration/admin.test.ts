import { CommanderError } from "commander";
import { expect, onTestFinished, test, vi } from "vitest";
import { createProgram } from "../../src/cli/commands.ts";
import { setUpAdminDatabase } from "../support/admin-database.ts";
import { givenChanged, givenIdentity, givenSession } from "../support/given.ts";
import { showId, userId } from "../support/programme.ts";
import { auditRows, expectTrueTallies, storedRows } from "../support/stored.ts";

const {
  db,
  run: admin,
  runProcess,
} = setUpAdminDatabase(
  ["Moth Hour", "Sit Back"],
  [
    { show: 0, user: 0, interaction: "yes", at: 1 },
    { show: 0, user: 1, interaction: "yes", at: 2 },
    { show: 1, user: 0, interaction: "no", at: 3 },
  ],
);

async function addAccount(id: string, email: string): Promise<void> {
  await givenChanged(db(), "users", { email, email_confirmed_at: new Date() }, { id });
  await givenIdentity(db(), { user_id: id, email });
  await givenSession(db(), { user_id: id });
}

async function readAccounts() {
  const users = await storedRows(db(), "users", ["id"]);
  return {
    users: users.map(({ id }) => id),
    identities: await storedRows(db(), "identities", ["subject"]),
    sessions: await storedRows(db(), "sessions", ["user_id"]),
    reviews: await storedRows(db(), "reviews", ["show_id", "user_id"]),
    tallies: await storedRows(db(), "tallies", ["show_id", "no", "yes"]),
  };
}

/** Ids of the programme's eight users, except one. */
function allUsersExcept(excluded: number): string[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((user) => user !== excluded).map(userId);
}

test("delete-user deletes identities, sessions and reviews, and updates the tallies", async () => {
  await addAccount(userId(0), "Wren@people.example");
  expect(await admin("delete-user", "wren@PEOPLE.example")).toEqual({
    exit: 0,
    out: `Deleted Wren@people.example (${userId(0)}): 1 identity, 1 session, 2 reviews.\n`,
    err: "",
  });
  expect(await readAccounts()).toEqual({
    users: allUsersExcept(0),
    identities: [],
    sessions: [],
    reviews: [{ show_id: showId(0), user_id: userId(1) }],
    tallies: [
      { show_id: showId(0), no: 0, yes: 1 },
      { show_id: showId(1), no: 0, yes: 0 },
    ],
  });
  await expectTrueTallies(db());
  const details = { user_id: userId(0), identities: 1, sessions: 1, reviews: 2 };
  expect(await auditRows(db())).toEqual([{ action: "delete-user", details }]);
});

test("delete-user finds a user by id, and refuses an ambiguous e-mail, with the ids of its users", async () => {
  await givenChanged(db(), "users", { email: "same@people.example" });
  const before = await readAccounts();
  const { exit, out, err } = await admin("delete-user", "same@people.example");
  expect({ exit, out }).toEqual({ exit: 1, out: "" });
  for (const id of [userId(0), userId(1)]) expect(err).toContain(id);
  for (const who of ["nobody@people.example", "00000000-0000-4000-8000-00000000dead", "' or true --"])
    expect(await admin("delete-user", who)).toEqual({ exit: 1, out: "", err: `There is no user ${who}.\n` });
  expect(await readAccounts()).toEqual(before);
  expect(await auditRows(db())).toEqual([]);
  expect(await admin("delete-user", userId(1))).toMatchObject({ exit: 0, err: "" });
  expect((await readAccounts()).users).toEqual(allUsersExcept(1));
});

test.each([
  ...[[], ["delete-user"], ["delete-user", "a", "b"], ["delete-user", "a", "--remove-reviews"]],
  ...[["list-reviews"], ["list-reviews", "a"], ["list-reviews", "--show"], ["remove-review", "a"]],
  ...[["remove-notes", "a", "b", "c"], ["move-reviews", "a"], ["undo-move"], ["ban-user"], ["export"]],
  ...[["unban-user", "a", "--remove-reviews"], ["import", "a", "b"], ["decide", "1"], ["remove-reviews"]],
  ...[
    ["decide", "1", "keep", "--by", "a"],
    ["decide", "hide", "--by", "a"],
    ["decide", "1", "hide", "--for-good"],
  ],
  ...[["delete-everybody", "a"], ["--frobnicate"]],
])("the arguments %j are refused with the usage", async (...args) => {
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => stderr.mockRestore());
  const run = vi.fn();
  const outcome = await createProgram(run)
    .parseAsync(args, { from: "user" })
    .catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(CommanderError);
  expect(outcome).not.toMatchObject({ exitCode: 0 });
  expect(stderr.mock.calls.join("")).toContain("Usage: npm run admin -- ");
  expect(run).not.toHaveBeenCalled();
});

test("an unknown command prints the usage and exits with 2", async () => {
  const err = expect.stringContaining("Usage: npm run admin");
  expect(await runProcess(["delete-everybody"])).toEqual({ exit: 2, out: "", err });
});

test("--help explains every command", async () => {
  const { exit, out } = await runProcess(["--help"]);
  expect(exit).toBe(0);
  const names = createProgram(async () => {}).commands.map((command) => command.name());
  expect(names).toContain("list-reviews");
  for (const name of names) expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
});
