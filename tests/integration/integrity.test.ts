import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type InventedReviewer,
  inventReviewers,
  type Reviewer,
  reviewHeaders,
  sendReview,
} from "../../dev/harness/reviewers.ts";
import { copyAccount } from "../../src/accounts/copy-account.server.ts";
import { banUser, deleteUser } from "../../src/accounts/end-account.server.ts";
import { defaultDeadline, transactionBefore } from "../../src/database/query/transaction-before.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { setQuarantine } from "../../src/moderation/store/quarantine.server.ts";
import { moveReviews, undoMove } from "../../src/reviews/store/move-reviews.server.ts";
import { deleteByHand } from "../../src/reviews/store/operator-reviews.server.ts";
import { forgetDeletedReviews, writeReview } from "../../src/reviews/store/reviews-table.server.ts";
import { statusAndCode } from "../support/accounts.ts";
import { runAdmin } from "../support/admin.ts";
import { untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import {
  givenChanged,
  givenDeleted,
  givenEarlier,
  givenNone,
  givenReviews,
  givenShows,
} from "../support/given.ts";
import { notesOf, readFirstPage } from "../support/read-list.ts";
import { createComparisons } from "../support/reference-list.ts";
import { expectServersMatchDatabase } from "../support/reference-reviews.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";
import type { Site } from "../support/site.ts";
import { auditRows, countRows, expectTrueTallies, storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
await createComparisons(db);
const shows = await givenShows(db, 3);
const trusting = { TRUSTED_PROXIES: "127.0.0.1" };
const site = await setUpSite(database, trusting);
const second = await setUpSite(database, { ...trusting, ORIGIN: site.origin });
let wren: InventedReviewer;
let pip: InventedReviewer;
beforeEach(async () => {
  await givenDeleted(db, "users");
  await givenNone(db, "review_limits", "audit");
  const reviewers = await inventReviewers(db, site.origin, 2);
  [wren = expect.fail(), pip = expect.fail()] = reviewers;
});

async function seenAt(server: Site) {
  const shows = (await readFirstPage(server)).map(({ id, reviews }) =>
    [id, reviews?.no, reviews?.very_little, reviews?.yes, reviews?.latest_at].join(" "),
  );
  return { shows, notes: await notesOf(server, "show-1") };
}

const seen = () => Promise.all([site, second].map(seenAt));
const twice = <T>(value: T): T[] => [value, value];

const insertReviews = () =>
  givenReviews(db, [
    { user_id: wren.id, notes: "Of the ring", created_at: new Date("2025-08-03") },
    { user_id: wren.id, show_id: "show-2", audience_interaction: "no", created_at: new Date("2025-08-04") },
    { user_id: pip.id, audience_interaction: "no", notes: "Honest", created_at: new Date("2025-08-02") },
  ]);

const storedReviews = () =>
  storedRows(db, "reviews", [
    ...(["show_id", "user_id", "audience_interaction", "notes", "created_at", "note_id", "counted"] as const),
  ]);

const before = {
  shows: ["show-2 1 0 0 2025-08-04T00:00:00.000Z", "show-1 1 0 1 2025-08-03T00:00:00.000Z", "show-3 0 0 0 "],
  notes: ["Honest", "Of the ring"],
};
const inQuarantine = {
  shows: ["show-1 1 0 0 2025-08-02T00:00:00.000Z", "show-2 0 0 0 ", "show-3 0 0 0 "],
  notes: ["Honest"],
};

describe("quarantine (docs/product.md §13.31)", () => {
  test("takes reviews out of tallies, order and notes of both servers, and brings them back", async () => {
    await insertReviews();
    await expect.poll(seen).toEqual(twice(before));
    const stored = await storedReviews();
    const who = `1@reviewers.example (${wren.id})`;
    const out = `In quarantine: ${who}, 2 reviews.\n`;
    const quarantined = await runAdmin(database, ["quarantine", "1@reviewers.example"]);
    expect(quarantined).toEqual({ exit: 0, out, err: "" });
    await expect.poll(seen).toEqual(twice(inQuarantine));
    await expectServersMatchDatabase(db, [site, second]);
    const again = `Was in quarantine before: ${who}.\nIn quarantine: 2@reviewers.example (${pip.id}), 1 review.\n`;
    expect((await runAdmin(database, ["quarantine", wren.id, pip.id])).out).toBe(again);
    await runAdmin(database, ["unquarantine", pip.id]);
    const expected = new RegExp(`^1@reviewers\\.example \\(${wren.id}\\) since [\\dT:.-]+Z\n$`);
    expect((await runAdmin(database, ["quarantine"])).out).toMatch(expected);
    const listed = /: no \(in quarantine\)\n.*: yes \(in quarantine\): Of the ring\n$/;
    expect((await runAdmin(database, ["list-reviews", "--user", wren.id])).out).toMatch(listed);
    const back = await runAdmin(database, ["unquarantine", wren.id]);
    expect(back.out).toBe(`Out of quarantine: ${who}, 2 reviews count again.\n`);
    await expect.poll(seen).toEqual(twice(before));
    expect(await storedReviews()).toEqual(stored);
    const err = `${who} is not in quarantine.\n`;
    expect(await runAdmin(database, ["unquarantine", wren.id])).toEqual({ exit: 1, out: "", err });
    expect((await auditRows(db)).map(({ action, details }) => [action, details])).toEqual([
      ["quarantine", { user_id: wren.id, reviews: 2 }],
      ["quarantine", { user_id: pip.id, reviews: 1 }],
      ["unquarantine", { user_id: pip.id, reviews: 1 }],
      ["unquarantine", { user_id: wren.id, reviews: 2 }],
    ]);
  });

  test("its user can write, change and see reviews as before, and they count after its end", async () => {
    await insertReviews();
    await setQuarantine(db, wren.id, true);
    for (const notes of ["More of the ring", "Changed"]) {
      const review = { show_id: "show-3", audience_interaction: "yes", notes };
      const response = await sendReview(second.origin, wren, review);
      expect(response.status).toBe(200);
      expect((await response.json()).review).toMatchObject({ ...review, user_id: wren.id });
    }
    const own = await (await site.api("/api/reviews/mine", reviewHeaders(wren))).json();
    expect(own.reviews.map(({ show_id }: { show_id: string }) => show_id)).toEqual([
      "show-3",
      "show-2",
      "show-1",
    ]);
    await expect.poll(seen).toEqual(twice(inQuarantine));
    const copy = async () => JSON.stringify(await copyAccount(db, wren.id));
    expect(await copy()).toMatch(/"quarantined_at":"2.*"action":"quarantine"/);
    await setQuarantine(db, wren.id, false);
    expect(await copy()).toMatch(/"quarantined_at":null.*"action":"unquarantine"/);
    const first = async () => (await seenAt(second)).shows[0];
    await expect.poll(first).toMatch(/^show-3 0 0 1/);
    await expectServersMatchDatabase(db, [site, second]);
  });

  test("no review that is written meanwhile escapes it", async () => {
    const writeAll = ({ origin }: Site, reviewer: Reviewer, audience_interaction: string) =>
      shows.map((show_id) => sendReview(origin, reviewer, { show_id, audience_interaction }));
    const writes = (await inventReviewers(db, site.origin, 5)).flatMap<Promise<unknown>>((reviewer) => [
      ...writeAll(site, reviewer, "yes"),
      setQuarantine(db, reviewer.id, true),
      ...writeAll(second, reviewer, "no"),
    ]);
    await Promise.all(writes);
    // A busy server may refuse some of them.
    expect(new Set((await storedReviews()).map(({ counted }) => counted))).toEqual(new Set([false]));
    await expectServersMatchDatabase(db, [site, second]);
  });

  const action = fc.record({
    kind: fc.constantFrom(
      ...(["write", "write", "write", "write", "quarantine", "quarantine", "release"] as const),
      ...(["move", "delete", "remove review", "remove notes"] as const),
      ...(["mark", "unmark", "ban", "ban and remove"] as const),
    ),
    user: fc.nat(4),
    show: fc.constantFrom(...shows),
    to: fc.constantFrom(...shows),
    interaction: fc.constantFrom(...interactions),
    notes: fc.option(fc.constantFrom("Lovely", "They sang"), { nil: null }),
  });
  type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

  async function perform({ kind, user, show, to, interaction, notes }: Action, users: Reviewer[]) {
    const { id } = users[user] ?? expect.fail();
    if (kind === "quarantine" || kind === "release") await setQuarantine(db, id, kind === "quarantine");
    if (kind === "move" && show !== to) {
      const move = await moveReviews(db, { from: show, to });
      if ("id" in move && notes) await undoMove(db, move.id);
    }
    if (kind === "delete") await deleteUser(db, id);
    const key = { showId: show, userId: id };
    if (kind === "remove review" || kind === "remove notes")
      await deleteByHand(db, key, kind === "remove notes" ? "notes" : "review");
    if (kind === "ban" || kind === "ban and remove") await banUser(db, id, { removeReviews: kind !== "ban" });
    // Like decisions and their undoing.
    if (kind === "mark")
      await givenChanged(db, "reviews", { hidden_rule: "fake", removal: "review" }, { user_id: id });
    if (kind === "unmark")
      await givenChanged(db, "reviews", { hidden_rule: null, removal: null }, { user_id: id });
    const { users: isThere = 0 } = await countRows(db, ["users"], { id });
    if (kind === "write" && isThere === 1) {
      const review = { show_id: show, user_id: id, audience_interaction: interaction, notes };
      await transactionBefore(db, defaultDeadline(), (trx) => writeReview(trx, review));
    }
  }

  test("tallies equal a recount of what counts after each step of any history", async () => {
    const marks = ["user_id", "counted", "removal"] as const;
    const histories = fc.array(action, { minLength: 1, maxLength: 30, size: "max" });
    const check = untilTimeLimit(async (history: Action[]) => {
      await givenDeleted(db, "users");
      const users = await inventReviewers(db, site.origin, 5);
      for (const each of history) {
        await perform(each, users);
        await expectTrueTallies(db);
        const stored = await storedRows(db, "users", ["id", "quarantined_at"]);
        const counting = stored.flatMap(({ id, quarantined_at }) => (quarantined_at ? [] : [id]));
        for (const { user_id, counted, removal } of await storedRows(db, "reviews", marks))
          expect(counted).toBe(counting.includes(user_id) && removal === null);
      }
    });
    await fc.assert(fc.asyncProperty(histories, check), { numRuns: 6 });
    await expectServersMatchDatabase(db, [site, second]);
  });
});

test("neither a resubmission nor a review after a deletion moves a show up (docs/product.md §13.30)", async () => {
  await insertReviews();
  await expect.poll(seen).toEqual(twice(before));
  const remove = () =>
    fetch(`${site.origin}/api/reviews?show_id=show-1`, { method: "DELETE", headers: reviewHeaders(wren) });
  const write = async () => {
    const body = { show_id: "show-1", audience_interaction: "yes", notes: "Of the ring" };
    return (await (await sendReview(second.origin, wren, body)).json()).review.created_at;
  };
  const first = "2025-08-03T00:00:00.000Z";
  expect(await write()).toBe(first);
  for (let round = 0; round < 2; round++) {
    expect((await remove()).status).toBe(200);
    expect(await write()).toBe(first);
  }
  await expect.poll(seen).toEqual(twice(before));
  await givenNone(db, "review_limits");
  await remove();
  await givenEarlier(db, "deleted_reviews", ["deleted_at"], { days: 30 });
  expect(Date.parse(await write())).toBeGreaterThan(Date.now() - 60_000);
  await forgetDeletedReviews(db);
  expect(await countRows(db, ["deleted_reviews"])).toEqual({ deleted_reviews: 0 });
});

test("a network may send 300 reviews of an audience, and no more within the hour (docs/product.md §5.16)", async () => {
  const people = await inventReviewers(db, site.origin, 302);
  const [last = expect.fail(), rude = expect.fail(), ...audience] = people;
  const client = (n: number) => `2001:db8:0:1::${n.toString(16)}`;
  const send = (from: string, reviewer: Reviewer, audience_interaction: string | null = "no") =>
    fetch(`${site.origin}/api/reviews?show_id=show-1`, {
      method: audience_interaction === null ? "DELETE" : "PUT",
      headers: { ...reviewHeaders(reviewer), "X-Forwarded-For": from },
      body: JSON.stringify({ show_id: "show-1", user_id: reviewer.id, audience_interaction }),
    });
  // Invalid reviews, signed-out ones, and those over a user's own limits are not counted.
  for (let sent = 0; sent < 9; sent++)
    expect((await send(client(1), rude, "?")).status).toBe(sent < 6 ? 400 : 429);
  expect((await send(client(1), { ...rude, token: "x" })).status).toBe(401);
  for (let sent = 0; sent < 300; sent += 10) {
    const ten = audience.slice(sent, sent + 10).map((reviewer, n) => send(client(sent + n), reviewer));
    for (const { status } of await Promise.all(ten)) expect(status).toBe(200);
  }
  // More reviews than a user's own limit allows. They do not count towards it.
  for (let press = 0; press < 7; press++) {
    const refused = await send(client(301), last);
    const wait = Number(refused.headers.get("retry-after"));
    expect([wait > 3_400, wait <= 3_600]).toEqual([true, true]);
    expect(await statusAndCode(refused)).toEqual([429, "network_rate_limited"]);
  }
  expect((await send("2001:db8:0:2::1", last)).status).toBe(200);
  expect((await send(client(1), last, null)).status).toBe(200);
});
