import { Hono } from "hono";
import { sql, type Transaction } from "kysely";
import { pino } from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { inventReviewers, type Reviewer, reviewHeaders } from "../../dev/harness/reviewers.ts";
import { banUser, deleteUser } from "../../src/accounts/end-account.server.ts";
import { createAuthenticate, requireUser } from "../../src/auth/api/authenticate.server.ts";
import { tokenRoutes } from "../../src/auth/api/token-route.server.ts";
import { insertSession } from "../../src/auth/store/sessions-table.server.ts";
import { createAccessTokens } from "../../src/auth/tokens/access-token.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { defaultDeadline, transactionBefore } from "../../src/database/query/transaction-before.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { handleErrors } from "../../src/http/requests/errors.server.ts";
import { responseDeadline } from "../../src/http/requests/response-deadline.server.ts";
import { createNotesCache } from "../../src/reviews/api/notes-cache.server.ts";
import { reviewRoutes } from "../../src/reviews/api/reviews-api.server.ts";
import { statusAndCode } from "../support/accounts.ts";
import { givenChanged, givenNone, givenShows } from "../support/given.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { countedWrites, storedRows } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

const ORIGIN = "http://front-row.example";
const SHOW = "show-1";
const log = pino({ level: "silent" });
const database = await setUpDatabase();
const { db } = database;
await givenShows(db, 1);
let wren: Reviewer;

beforeEach(async () => {
  await givenNone(db, "users", "review_limits");
  [wren = expect.fail()] = await inventReviewers(db, ORIGIN, 1);
});

const stored = () => storedRows(db, "reviews", ["audience_interaction", "notes"]);

function openReviews(responseTimeout?: number) {
  const accessTokens = createAccessTokens(createSigningKeys(db), `${ORIGIN}/auth/v1`);
  const checkUser = requireUser(createAuthenticate(db, accessTokens));
  const work: Promise<unknown>[] = [];
  const counted: string[] = [];
  const routes = reviewRoutes({
    db,
    notes: createNotesCache(db),
    countReview: (outcome) => counted.push(outcome),
    countForNetwork: () => 0,
    onWritten: () => {},
    onHidden: async () => {},
    isListed: () => true,
    requireUser: async (c, next) => {
      const handled = checkUser(c, next);
      work.push(handled.catch(() => {}));
      await handled;
    },
    log,
    ...(responseTimeout && { responseTimeout }),
  });
  return {
    review: async (body: BodyInit = reviewOf(wren)) =>
      routes.request(
        "/reviews",
        { method: "PUT", headers: reviewHeaders(wren), body, duplex: "half" } as RequestInit,
        { incoming: {} },
      ),
    ended: () => Promise.all(work),
    counted,
  };
}

function reviewOf({ id }: Reviewer): string {
  return JSON.stringify({ show_id: SHOW, user_id: id, audience_interaction: "yes", notes: "Late" });
}

async function lock(table: string): Promise<() => Promise<void>> {
  const trx = await db.startTransaction().execute();
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
  return () => trx.rollback().execute();
}

const countsOfWrites = async () => Object.keys(await countedWrites(db, wren.id)).length;

function pausedBody(text: string) {
  const { promise: resumed, resolve: goOn } = Promise.withResolvers<void>();
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.subarray(0, 10));
      await resumed;
      controller.enqueue(bytes.subarray(10));
      controller.close();
    },
  });
  return { body, goOn };
}

describe("a review that was answered with 503 is not stored later (docs/product.md §5.15)", () => {
  testRows<[string, string]>(3, [
    ["read the session", "sessions"],
    ["count the write", "review_limits"],
    ["change the tallies", "tallies"],
    ["lock the user", "users"],
    ["write the review", "reviews"],
  ])("when it takes too long to %s", async (_what, table) => {
    const { review, ended, counted } = openReviews(1_000);
    const unlock = await lock(table);
    expect((await review()).status).toBe(503);
    await unlock();
    await ended();
    expect(await stored()).toEqual([]);
    expect(counted).toEqual(["unavailable"]);
    expect((await openReviews().review()).status).toBe(200);
  });

  test("when the end of the body takes too long to arrive", async () => {
    const { review, ended } = openReviews(1_000);
    const { body, goOn } = pausedBody(reviewOf(wren));
    expect((await review(body)).status).toBe(503);
    goOn();
    await ended();
    expect(await stored()).toEqual([]);
    expect((await openReviews().review()).status).toBe(200);
  });

  test("unless its commit was not confirmed in time: then it may be, and the error says so", async () => {
    await sql`create function commit_slowly() returns trigger language plpgsql as
      'begin perform pg_sleep(1.5); return null; end';
      create constraint trigger commit_slowly after insert on reviews deferrable initially deferred
      for each row execute function commit_slowly()`.execute(db);
    const { review, ended, counted } = openReviews(1_000);
    const response = await review();
    expect(await statusAndCode(response)).toEqual([503, "unconfirmed"]);
    await ended();
    expect(await stored()).toHaveLength(1);
    expect(counted).toEqual(["unconfirmed"]);
    await sql`drop trigger commit_slowly on reviews`.execute(db);
  });
});

test("a token refresh that was answered with 503 does not rotate the refresh token later", async () => {
  const { refreshToken } = await db.transaction().execute((trx) => insertSession(trx, wren.id, "google"));
  const work: Promise<void>[] = [];
  const refresh = (timeout: number) => {
    const app = new Hono();
    app.onError(handleErrors(log, { outageReason: () => null }));
    app.use(responseDeadline(timeout), async (_c, next) => {
      const handled = next();
      work.push(handled);
      await handled;
    });
    app.route("/", tokenRoutes(db, createAccessTokens(createSigningKeys(db), `${ORIGIN}/auth/v1`), log));
    const body = JSON.stringify({ refresh_token: refreshToken });
    return app.request("/token?grant_type=refresh_token", { method: "POST", body });
  };
  const refreshedSessions = async () =>
    (await storedRows(db, "sessions", ["counter"])).filter(({ counter }) => counter !== "0");
  const unlock = await lock("signing_keys");
  expect((await refresh(1_000)).status).toBe(503);
  await unlock();
  await Promise.all(work);
  expect(await refreshedSessions()).toEqual([]);
  expect((await refresh(10_000)).status).toBe(200);
  expect(await refreshedSessions()).toHaveLength(1);
});

describe("transactionBefore", () => {
  const run = (work: (trx: Transaction<Schema>) => Promise<unknown>, ms = 5_000) =>
    transactionBefore(db, defaultDeadline(ms), work);
  const ban = (trx: Transaction<Schema>) => givenChanged(trx, "users", { banned_at: new Date() });
  const banned = async () =>
    (await storedRows(db, "users", ["id", "banned_at"])).filter(({ banned_at }) => banned_at !== null);

  test("does not start after the deadline; rolls back and cancels a statement when it passes", async () => {
    await expect(run(() => expect.fail("it was started"), 0)).rejects.toThrow("no time left");
    const end = performance.now() + 300;
    const late = run(async (trx) => {
      await ban(trx);
      while (performance.now() <= end) await sql`select`.execute(trx);
    }, 300);
    await expect(late).rejects.toThrow("no time left");
    const waiting = run((trx) => sql`select pg_sleep(20)`.execute(trx), 300);
    // On a busy machine, the session may be idle until the deadline, which ends it.
    await expect(waiting).rejects.toThrow(/statement timeout|connection error/);
    expect(await banned()).toEqual([]);
    await run(ban);
    expect(await banned()).toHaveLength(1);
  });

  test("retries after three conflicts at most", async () => {
    for (const conflicts of [3, 4]) {
      let attempts = 0;
      const conflicting = run(async (trx) => {
        await ban(trx);
        if (attempts++ < conflicts) await givenShows(trx, 1);
      });
      if (conflicts === 3) await conflicting;
      else await expect(conflicting).rejects.toThrow("duplicate key");
      expect([attempts, (await banned()).length]).toEqual([4, 1]);
    }
  });

  test("fails when a statement failed, although the error was ignored; returns the connection, with its settings reset", async () => {
    const ignoreError = async (trx: Transaction<Schema>) => {
      await ban(trx);
      await sql`select nonsense`.execute(trx).catch(() => {});
    };
    const attempts = 2 * database.pool.options.max;
    for (let attempt = 0; attempt < attempts; attempt++) await expect(run(ignoreError)).rejects.toThrow();
    expect(await banned()).toEqual([]);
    const { rows } = await sql`show statement_timeout`.execute(db);
    expect(rows).toEqual([{ statement_timeout: "30s" }]);
  });
});

test.each([
  ["deleted", deleteUser],
  ["banned", (db: Database["db"], id: string) => banUser(db, id, { removeReviews: true })],
])("a review of a user %s after authentication gets 401 and is not stored", async (_, lockOut) => {
  const { review, ended } = openReviews();
  const { body, goOn } = pausedBody(reviewOf(wren));
  const pending = review(body);
  // Three windows are counted, so the user has been authenticated.
  await expect.poll(countsOfWrites, { timeout: 8_000 }).toBe(3);
  await lockOut(db, wren.id);
  goOn();
  const response = await pending;
  expect(await statusAndCode(response)).toEqual([401, "authentication_required"]);
  await ended();
  expect(await stored()).toEqual([]);
});
