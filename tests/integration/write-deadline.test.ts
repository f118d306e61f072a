import { Hono } from "hono";
import { sql, type Transaction } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inventReviewers, type Reviewer } from "../../dev/harness/reviewers.ts";
import { createAuthenticate, requireUser } from "../../src/auth/api/authenticate.server.ts";
import { tokenRoutes } from "../../src/auth/api/token-route.server.ts";
import { banUser, deleteUser } from "../../src/auth/store/manage-users.server.ts";
import { insertSession } from "../../src/auth/store/sessions-table.server.ts";
import { createAccessTokens } from "../../src/auth/tokens/access-token.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { transactionBefore } from "../../src/database/query/transaction-before.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { handleErrors, unavailable } from "../../src/http/requests/errors.server.ts";
import { responseDeadline } from "../../src/http/requests/response-deadline.server.ts";
import { createNotesCache } from "../../src/reviews/api/notes-cache.server.ts";
import { reviewRoutes } from "../../src/reviews/api/reviews-api.server.ts";
import { createTestDatabase } from "../support/postgres.ts";

const ORIGIN = "http://front-row.example";
const SHOW = "show-1";
const log = pino({ level: "silent" });

let database: Database;
let wren: Reviewer;

beforeAll(async () => {
  database = await createTestDatabase();
  await sql`insert into shows (id, title, year, status) values (${SHOW}, 'Show 1', 2025, 'active')`.execute(
    database.db,
  );
});
afterAll(() => database.close());
beforeEach(async () => {
  await sql`truncate users, review_limits cascade`.execute(database.db);
  [wren = expect.fail()] = await inventReviewers(database.db, ORIGIN, 1);
});

const stored = () => database.db.selectFrom("reviews").select(["audience_interaction", "notes"]).execute();

/** The routes as the site has them, over the real database, with this response timeout in ms. */
function openReviews(responseTimeout?: number) {
  const { db } = database;
  const accessTokens = createAccessTokens(createSigningKeys(db), `${ORIGIN}/auth/v1`);
  const checkUser = requireUser(createAuthenticate(db, accessTokens));
  const work: Promise<unknown>[] = [];
  const counted: string[] = [];
  const routes = reviewRoutes({
    db,
    notes: createNotesCache(db),
    countReview: (outcome) => counted.push(outcome),
    onWritten: () => {},
    isListed: () => true,
    requireUser: async (c, next) => {
      const whole = checkUser(c, next);
      work.push(whole.catch(() => {}));
      await whole;
    },
    log,
    ...(responseTimeout && { responseTimeout }),
  });
  return {
    review: async (body: BodyInit = reviewOf(wren)) =>
      routes.request("/reviews", {
        method: "PUT",
        headers: { Authorization: `Bearer ${wren.token}`, "Content-Type": "application/json" },
        body,
        ...(body instanceof ReadableStream && { duplex: "half" }),
      }),
    /** Resolves when everything that requests have begun has ended, also what was answered before. */
    ended: () => Promise.all(work),
    /** The outcomes that were counted. */
    counted,
  };
}

function reviewOf({ id }: Reviewer): string {
  return JSON.stringify({ show_id: SHOW, user_id: id, audience_interaction: "yes", notes: "Late" });
}

/** Keeps everybody else away from a table until told to let them in. */
async function lock(table: string): Promise<() => Promise<void>> {
  const holding = await database.db.startTransaction().execute();
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(holding);
  return () => holding.rollback().execute();
}

async function countsOfWrites(): Promise<number> {
  return (await sql`select from review_limits`.execute(database.db)).rows.length;
}

/** A body whose second half comes when told. */
function halting(text: string) {
  const { promise: toldToGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.subarray(0, 10));
      await toldToGoOn;
      controller.enqueue(bytes.subarray(10));
      controller.close();
    },
  });
  return { body, goOn };
}

describe("a review that was answered with 503 is not stored later", () => {
  test.each([
    ["who sent it", "sessions"],
    ["how much they have written", "review_limits"],
    ["whether they are still there", "users"],
    ["what they wrote before", "reviews"],
    ["the tallies", "tallies"],
  ])("when it takes too long to find out %s", async (_what, table) => {
    const { review, ended, counted } = openReviews(1_000);
    const letIn = await lock(table);
    expect((await review()).status).toBe(503);
    await letIn();
    await ended();
    expect(await stored()).toEqual([]);
    expect(counted).toEqual(["unavailable"]);
    expect((await openReviews().review()).status).toBe(200);
  });

  test("when its end takes too long to come", async () => {
    const { review, ended } = openReviews(1_000);
    const { body, goOn } = halting(reviewOf(wren));
    expect((await review(body)).status).toBe(503);
    goOn();
    await ended();
    expect(await stored()).toEqual([]);
    expect((await openReviews().review()).status).toBe(200);
  });
});

test("a refresh that was answered with 503 does not use the refresh token up later", async () => {
  const { db } = database;
  const { refreshToken } = await db.transaction().execute((trx) => insertSession(trx, wren.id, "google"));
  const work: Promise<void>[] = [];
  const refresh = (patience: number) => {
    const app = new Hono();
    app.onError(handleErrors(log, { fallback: unavailable }));
    app.use(responseDeadline(patience), async (_c, next) => {
      const whole = next();
      work.push(whole);
      await whole;
    });
    app.route("/", tokenRoutes({ db, accessTokens: createAccessTokens(createSigningKeys(db), `${ORIGIN}/auth/v1`) }));
    const body = JSON.stringify({ refresh_token: refreshToken });
    return app.request("/token?grant_type=refresh_token", { method: "POST", body });
  };
  const refreshes = () => db.selectFrom("sessions").select("counter").where("counter", ">", "0").execute();
  const letIn = await lock("signing_keys");
  expect((await refresh(1_000)).status).toBe(503);
  await letIn();
  await Promise.all(work);
  expect(await refreshes()).toEqual([]);
  expect((await refresh(10_000)).status).toBe(200);
  expect(await refreshes()).toHaveLength(1);
});

describe("a transaction with a deadline", () => {
  const run = (work: (trx: Transaction<Schema>) => Promise<unknown>, deadline = performance.now() + 5_000) =>
    transactionBefore(database.db, deadline, work);
  const ban = (trx: Transaction<Schema>) => sql`update users set banned_at = now()`.execute(trx);
  const banned = () => database.db.selectFrom("users").select("id").where("banned_at", "is not", null).execute();

  test("for which there is no time is not begun, and one that takes longer is taken back", async () => {
    await expect(run(() => expect.fail("it was begun"), performance.now())).rejects.toThrow("no time left");
    const deadline = performance.now() + 300;
    const lingering = run(async (trx) => {
      await ban(trx);
      while (performance.now() <= deadline) await sql`select`.execute(trx);
    }, deadline);
    await expect(lingering).rejects.toThrow("no time left");
    expect(await banned()).toEqual([]);
    await run(ban);
    expect(await banned()).toHaveLength(1);
  });

  test("is begun again when somebody else came in between, three times at most", async () => {
    let begun = 0;
    const meet = (others: number) => async (trx: Transaction<Schema>) => {
      begun++;
      await ban(trx);
      if (begun > others) return;
      await sql`insert into shows (id, title, year, status) values (${SHOW}, 'Again', 2025, 'active')`.execute(trx);
    };
    await run(meet(2));
    expect(begun).toBe(3);
    expect(await banned()).toHaveLength(1);
    begun = 0;
    await expect(run(meet(3))).rejects.toThrow("duplicate key");
    expect(begun).toBe(3);
  });

  test("of which a statement failed, and nobody minded, has failed", async () => {
    const carryOn = async (trx: Transaction<Schema>) => {
      await ban(trx);
      await sql`select nonsense`.execute(trx).catch(() => {});
    };
    await expect(run(carryOn)).rejects.toThrow();
    expect(await banned()).toEqual([]);
  });

  test("that fails gives its connection back, and leaves nothing of itself there", async () => {
    const fail = async (trx: Transaction<Schema>) => {
      await ban(trx);
      throw new Error("It has failed");
    };
    for (let time = 0; time < 2 * database.pool.options.max; time++) {
      await expect(run(fail)).rejects.toThrow("It has failed");
    }
    expect(await banned()).toEqual([]);
    const { rows } = await sql`show statement_timeout`.execute(database.db);
    expect(rows).toEqual([{ statement_timeout: "30s" }]);
  });

  test("does not wait for a statement longer than there is time", async () => {
    const waiting = run((trx) => sql`select pg_sleep(20)`.execute(trx), performance.now() + 300);
    await expect(waiting).rejects.toThrow("statement timeout");
  });
});

test.each([
  ["deleted", deleteUser],
  ["banned", (db: Database["db"], id: string) => banUser(db, id, { removeReviews: true })],
])(
  "a review of somebody who is %s after the server has looked who it is from is answered with 401, and is not stored",
  async (_what, shutOut) => {
    const { review, ended } = openReviews();
    const { body, goOn } = halting(reviewOf(wren));
    const reviewing = review(body);
    // Counted for a minute, an hour and a day: by then it is known who they are.
    await expect.poll(countsOfWrites, { timeout: 8_000 }).toBe(3);
    await shutOut(database.db, wren.id);
    goOn();
    const answer = await reviewing;
    expect([answer.status, (await answer.json()).code]).toEqual([401, "authentication_required"]);
    await ended();
    expect(await stored()).toEqual([]);
  },
);
