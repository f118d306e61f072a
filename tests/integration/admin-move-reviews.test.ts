import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defaultDeadline, transactionBefore } from "../../src/database/query/transaction-before.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { interactions } from "../../src/domain/review.ts";
import { moveReviews, undoMove } from "../../src/reviews/store/move-reviews.server.ts";
import { writeReview } from "../../src/reviews/store/reviews-table.server.ts";
import { setUpAdminDatabase } from "../support/admin-database.ts";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { givenChanged, givenDeleted, givenReview } from "../support/given.ts";
import { showId, userId } from "../support/programme.ts";
import { auditRows, expectTrueTallies, storedRows } from "../support/stored.ts";

const { db, run: admin } = await setUpAdminDatabase(
  ["Moth Hour", "Moth Hour ", "Moth Hour (again)", "Other"],
  [],
);

const [from, to, next] = [showId(0), showId(1), showId(2)];
const named = (id: string) => `“Moth Hour${{ [from]: "", [to]: " ", [next]: " (again)" }[id]}” (${id})`;

/** A review as `show user interaction minute notes`; - means no notes. */
type Line = string;

async function insertReviews(...lines: Line[]): Promise<void> {
  for (const line of lines) {
    const [show, user, answer, minute, notes] = line.split(" ");
    await givenReview(db(), {
      show_id: showId(Number(show)),
      user_id: userId(Number(user)),
      audience_interaction: z.enum(interactions).parse(answer),
      created_at: at(minute),
      notes: notes === "-" ? null : (notes ?? null),
    });
  }
}

const at = (minute?: string) => new Date(Date.UTC(2025, 7, 1, 0, Number(minute)));

async function reviewLines(): Promise<Line[]> {
  const columns = ["show_id", "user_id", "audience_interaction", "created_at", "notes"] as const;
  return (await storedRows(db(), "reviews", columns)).map(
    ({ show_id, user_id, audience_interaction, created_at, notes }) =>
      `${show_id.at(-1)} ${user_id.at(-1)} ${audience_interaction} ${created_at.getUTCMinutes()} ${notes ?? "-"}`,
  );
}

const unlist = (id: string) => givenChanged(db(), "shows", { listed: false }, { id });

/** A review as the site writes it. */
function write(user: number, show_id: string, notes: string) {
  const review = { show_id, user_id: userId(user), audience_interaction: "yes", notes } as const;
  return transactionBefore(db(), defaultDeadline(), (trx) => writeReview(trx, review));
}

/** Returns the id of the move, as the command prints it. */
async function runMove(source: string, target: string): Promise<string> {
  const { out } = await admin("move-reviews", source, target);
  return / undo-move (\d+)\n$/.exec(out)?.[1] ?? expect.fail(out);
}

describe("move-reviews", () => {
  test("brings the newer review of a user to the listed show, of equally old ones the listed show's, until it is undone", async () => {
    const before = [
      ...["0 0 yes 5 New", "0 1 yes 2 Old", "0 2 no 3 -", "0 7 yes 4 A"],
      ...["1 0 no 1 Old", "1 1 no 6 New", "1 7 no 4 B", "3 0 no 4 Elsewhere"],
    ];
    await insertReviews(...before);
    await unlist(from);
    const printed = await admin("move-reviews", from, to);
    const [{ id = "" } = {}] = await storedRows(db(), "audit", ["id"]);
    const out =
      `Moved 2 reviews from ${named(from)} to ${named(to)}; in exchange for another by the same user: 1; ` +
      `not moved, because their users have others there that are no older: 2. Undo: npm run admin -- undo-move ${id}\n`;
    expect(printed).toEqual({ exit: 0, out, err: "" });
    expect(await reviewLines()).toEqual([
      ...["0 0 no 1 Old", "0 1 yes 2 Old", "0 7 yes 4 A"],
      ...["1 0 yes 5 New", "1 1 no 6 New", "1 2 no 3 -", "1 7 no 4 B", "3 0 no 4 Elsewhere"],
    ]);
    await expectTrueTallies(db());
    const details = { from_show_id: from, to_show_id: to, moved: 1, swapped: 1, stayed: 2 };
    expect(await auditRows(db())).toEqual([{ action: "move-reviews", details }]);

    expect(await admin("undo-move", id)).toMatchObject({ exit: 0, err: "" });
    expect(await reviewLines()).toEqual(before);
    await expectTrueTallies(db());
  });

  test.each<[string, Line[], string[], string]>([
    ["an unknown show", ["0 0 yes 1 -"], ["nowhere", to], "There is no show nowhere."],
    ["an unknown target", ["0 0 yes 1 -"], [from, "nowhere"], "There is no show nowhere."],
    ["a show to itself", ["1 0 yes 1 -"], [to, to], "The two shows are the same one: name two."],
    ["an unlisted target", ["1 0 yes 1 -"], [to, from], `${named(from)} is not in the list of ${YEAR}.`],
    ["a show without reviews", ["1 0 yes 1 -"], [from, to], noReview()],
    ["a show whose reviews are all older", ["0 0 yes 1 -", "1 0 no 2 -"], [from, to], noReview()],
  ])("refuses %s in one line and changes nothing", async (_, before, args, line) => {
    await insertReviews(...before);
    await unlist(from);
    expect(await admin("move-reviews", ...args)).toEqual({ exit: 1, out: "", err: `${line}\n` });
    expect(await reviewLines()).toEqual(before);
    expect(await auditRows(db())).toEqual([]);
  });

  function noReview(): string {
    return `${named(from)} has no review to move: none at all, or only older ones by users who reviewed both.`;
  }
});

describe("undo-move", () => {
  test("leaves later reviews where they were written, and takes back one that was sent again unchanged", async () => {
    await insertReviews("0 0 yes 1 Moved", "0 1 yes 2 Moved", "0 2 yes 9 Newer", "0 3 yes 4 Same");
    await insertReviews("1 2 no 3 Older");
    const id = await runMove(from, to);
    await write(0, to, "Rewritten");
    await write(1, from, "Second");
    await write(2, to, "Rewritten");
    await write(3, to, "Same");
    const out = `Moved 1 review back from ${named(to)} to ${named(from)}; not moved, because their users have written since: 2.\n`;
    expect(await admin("undo-move", id)).toMatchObject({ exit: 0, out });
    const withoutTimes = (await reviewLines()).map((line) => line.replace(/ \w+ \d+ /, " ")).sort();
    const expected = ["0 1 Second", "0 2 Older", "0 3 Same", "1 0 Rewritten", "1 1 Moved", "1 2 Rewritten"];
    expect(withoutTimes).toEqual(expected);
    await expectTrueTallies(db());
  });

  test("works once, with the id of a move, and leaves reviews that another move has moved", async () => {
    await insertReviews("0 0 yes 1 -", "0 1 no 2 -", "1 2 no 3 -", "3 0 no 2 -");
    await admin("remove-review", showId(3), userId(0));
    const [removal] = await storedRows(db(), "audit", ["id"]);
    const first = await runMove(from, to);
    const second = await runMove(to, next);
    const err = expect.stringMatching(
      /^There is no move .*, or nothing of it is left|^error: unknown option/,
    );
    const refuse = async (id: string) => expect(await admin("undo-move", id)).toMatchObject({ out: "", err });
    for (const id of [first, removal?.id ?? "", "0", "-1", "99999999999999999999", "1.5", "' or true --"])
      await refuse(id);
    expect(await admin("undo-move", second)).toMatchObject({ exit: 0 });
    await refuse(second);
    expect(await reviewLines()).toEqual(["1 0 yes 1 -", "1 1 no 2 -", "1 2 no 3 -"]);
    const undone = { action: "undo-move", details: { move_id: second, moved: 3, swapped: 0, stayed: 0 } };
    expect((await auditRows(db())).at(-1)).toEqual(undone);
  });
});

test("export-user names the moves of the user's reviews", async () => {
  await insertReviews("0 0 yes 1 -", "0 1 yes 1 -", "3 2 yes 1 -");
  await admin("move-reviews", from, to);
  const notesOf = async (user: number) =>
    JSON.parse((await admin("export-user", userId(user))).out).operators_notes;
  const moved = { action: "move-reviews", details: { from_show_id: from, to_show_id: to } };
  expect(await notesOf(0)).toMatchObject([moved]);
  expect(await notesOf(2)).toEqual([]);
});

const someReviews = fc.uniqueArray(
  fc.record({
    show: fc.constantFrom(0, 1, 3),
    user: fc.nat(7),
    answer: fc.constantFrom(...interactions),
    minute: fc.nat(4),
    notes: fc.constantFrom("-", "Loud", "Quiet"),
  }),
  { selector: ({ show, user }) => `${show} ${user}`, maxLength: 24 },
);

type InventedReviews = typeof someReviews extends fc.Arbitrary<infer Value> ? Value : never;

test("a move keeps every review and counts the newer one; its undo restores everything", async () => {
  const check = untilTimeLimit(async (invented: InventedReviews) => {
    await givenDeleted(db(), "reviews");
    const before = invented.map(({ show, user, answer, minute, notes }) =>
      [show, user, answer, minute, notes].join(" "),
    );
    await insertReviews(...before);
    const move = await moveReviews(db(), { from, to });
    const after = await reviewLines();
    const withoutShow = (lines: Line[]) => lines.map((line) => line.slice(2)).sort();
    expect(withoutShow(after)).toEqual(withoutShow(before));
    for (const { user } of invented) {
      const minutes = (show: number, lines: Line[]) =>
        lines.filter((line) => line.startsWith(`${show} ${user} `)).map((line) => Number(line.split(" ")[3]));
      const both = [...minutes(0, before), ...minutes(1, before)];
      expect(minutes(1, after)).toEqual(both.length > 0 ? [Math.max(...both)] : []);
      expect(minutes(3, after)).toEqual(minutes(3, before));
    }
    await expectTrueTallies(db());
    if ("id" in move) expect(await undoMove(db(), move.id)).toMatchObject({ stayed: 0 });
    expect(await reviewLines()).toEqual(before.toSorted());
    await expectTrueTallies(db());
  });
  await fc.assert(fc.asyncProperty(someReviews, check), fuzzRuns(25));
});

test("moves and undone moves keep every review that is written meanwhile", async () => {
  const before = [0, 1, 2, 3, 4, 5].map((user) => `0 ${user} no ${user} -`);
  await insertReviews(...before, "1 0 yes 3 -", "1 1 no 0 -");
  let isMoving = true;
  const rewritten = [4, 5, 6, 7].map(async (user) => {
    const written: string[] = [];
    for (let round = 0; isMoving; round++) {
      await write(user, to, `${round}`);
      written.push(`${round}`);
    }
    return { user, last: written.at(-1) };
  });
  for (let round = 0; round < 8; round++) {
    const move = await moveReviews(db(), { from, to });
    if ("id" in move) await undoMove(db(), move.id);
  }
  isMoving = false;
  for (const { user, last } of await Promise.all(rewritten)) {
    const reviews = await storedRows(db(), "reviews", ["user_id", "notes"]);
    expect(reviews).toContainEqual({ user_id: userId(user), notes: last });
  }
  await expectTrueTallies(db());
});
