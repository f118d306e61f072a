import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { notesByShow, ownReviews, savedReview } from "../../src/domain/review-dto.ts";
import { showPage } from "../../src/domain/show.ts";
import { type AccountsSite, call, type SessionAnswer, signIn, startAccountsSite } from "../support/accounts.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { startRelay } from "../support/relay.ts";
import { pretendRefreshed, type Site, startSite } from "../support/site.ts";

let database: Database;
let world: AccountsSite;
let site: Site;
/** A second server process on the same database. */
let second: Site;
let wren: SessionAnswer;
let pip: SessionAnswer;

beforeAll(async () => {
  database = await createTestDatabase();
  await pretendRefreshed(database.db);
  await sql`insert into shows (id, title, year, status, listed)
    select 'show-' || n, 'Show ' || lpad(n::text, 2, '0'), case n when 8 then 2024 else 2025 end, 'active', n <> 9 from generate_series(1, 9) n`.execute(
    database.db,
  );
  world = await startAccountsSite(database.url);
  site = world.site;
  second = await startSite(world.variables);
  wren = await signIn(site.origin, "google", { email: "wren@people.example" });
  pip = await signIn(site.origin, "github", { email: "pip@people.example" });
});
afterAll(async () => {
  await second.end();
  await world.close();
  await database.close();
});
beforeEach(async () => {
  await sql`delete from reviews`.execute(database.db);
  await sql`delete from review_limits`.execute(database.db);
});

/** The counts of somebody's writes. */
async function countedFor({ user: { id } }: SessionAnswer) {
  return (await sql`select points from review_limits where key like ${`%:${id}`}`.execute(database.db)).rows;
}

interface Sent {
  show_id?: unknown;
  user_id?: unknown;
  audience_interaction?: unknown;
  notes?: unknown;
}

function put(body: unknown, session: SessionAnswer | null = wren, to = site): Promise<Response> {
  return fetch(`${to.origin}/api/reviews`, {
    method: "PUT",
    headers: {
      apikey: "front-row-public",
      "Content-Type": "application/json",
      ...(session && { Authorization: `Bearer ${session.access_token}` }),
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

function review(more: Sent = {}, session = wren, to = site): Promise<Response> {
  const review = { show_id: "show-1", user_id: session.user.id, audience_interaction: "yes", notes: null };
  return put({ ...review, ...more }, session, to);
}

async function reviewed(more: Sent = {}, session = wren, to = site) {
  const answer = await review(more, session, to);
  expect(answer.status).toBe(200);
  return savedReview.parse(await answer.json());
}

async function refusal(answer: Response): Promise<[number, string]> {
  return [answer.status, (await answer.json()).code];
}

async function stored() {
  const { rows } = await sql`select show_id, user_id, audience_interaction, notes from reviews order by 1, 2`.execute(
    database.db,
  );
  return rows;
}

async function written(query: string, from = site) {
  const answer = await from.api(`/api/reviews?${query}`);
  return notesByShow.parse(await answer.json()).reviews;
}

async function shows(from: Site) {
  return showPage.parse(await (await from.api("/api/shows")).json()).shows;
}

async function listed(from: Site, id = "show-1") {
  return (await shows(from)).find((show) => show.id === id)?.reviews;
}

/** Tallies and what a recount makes of them. */
async function expectTalliesToEqualRecount(): Promise<void> {
  const { rows } = await sql`
    select t.show_id from tallies t full join (
      select show_id, count(*) filter (where audience_interaction = 'no') no,
        count(*) filter (where audience_interaction = 'very_little') very_little,
        count(*) filter (where audience_interaction = 'yes') yes, max(created_at) latest_at
      from reviews group by show_id) r using (show_id)
    where (t.no, t.very_little, t.yes) is distinct from (coalesce(r.no, 0), coalesce(r.very_little, 0), coalesce(r.yes, 0))
      or t.latest_at is distinct from r.latest_at`.execute(database.db);
  expect(rows).toEqual([]);
}

describe("writing a review", () => {
  test("stores it and answers it with the show's new tallies", async () => {
    const answer = await reviewed({ notes: "  They sang to me.\n " });
    expect(answer).toEqual({
      review: {
        show_id: "show-1",
        user_id: wren.user.id,
        audience_interaction: "yes",
        notes: "They sang to me.",
        created_at: expect.any(String),
      },
      reviews: { no: 0, very_little: 0, yes: 1, latest_at: answer.review.created_at },
    });
    expect((await reviewed({ audience_interaction: "no" }, pip)).reviews).toMatchObject({ no: 1, yes: 1 });
    await expectTalliesToEqualRecount();
  });

  test("again replaces the earlier one whole", async () => {
    const first = await reviewed({ notes: "First" });
    const again = await reviewed({ audience_interaction: "very_little" });
    expect(again.review).toMatchObject({ audience_interaction: "very_little", notes: null });
    expect(again.review.created_at >= first.review.created_at).toBe(true);
    expect(again.reviews).toMatchObject({ no: 0, very_little: 1, yes: 0 });
    expect(await stored()).toHaveLength(1);
  });

  test("exactly as it is stored changes nothing, its time included", async () => {
    const first = await reviewed({ notes: "Same" });
    expect(await reviewed({ notes: " Same " })).toEqual(first);
    await expectTalliesToEqualRecount();
  });

  test("many times at once, at two servers, leaves one", async () => {
    const answers = await Promise.all(
      [site, second, site, second].map((to, index) => review({ notes: `Note ${index % 2}` }, wren, to)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await stored()).toHaveLength(1);
    await expectTalliesToEqualRecount();
  });

  test("is seen by everybody, on every server, soon: in the list, in the notes and on the page", async () => {
    const see = async (server: Site) => ({
      first: (await shows(server))[0],
      notes: (await written("show_id=show-7", server))["show-7"]?.yes.notes.map(({ notes }) => notes),
      badge: /Most common: \w+/.exec(await (await fetch(server.origin)).text())?.[0],
    });
    // Nothing that was looked at before hides it.
    for (const server of [site, second])
      await expect.poll(() => see(server), { timeout: 5_000 }).toMatchObject({ notes: [], badge: undefined });
    await reviewed({ show_id: "show-7", notes: "Hello" });
    for (const server of [site, second]) {
      const seen = { first: { id: "show-7", reviews: { no: 0, yes: 1 } }, notes: ["Hello"], badge: "Most common: Yes" };
      await expect.poll(() => see(server), { timeout: 5_000, interval: 10 }).toMatchObject(seen);
    }
  });

  test("is answered to its writer alone, and kept nowhere", async () => {
    const answers = [
      await review(),
      await review({ audience_interaction: "maybe" }),
      await put({}, null),
      await site.api("/api/reviews/mine", { Authorization: `Bearer ${wren.access_token}` }),
      await site.api("/api/reviews/mine"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 200, 401]);
    expect(answers.map(({ headers }) => headers.get("cache-control"))).toEqual(Array(5).fill("no-store"));
  });
});

describe("a review is refused", () => {
  test("of somebody who is not signed in, or not any more", async () => {
    expect(await refusal(await put({}, null))).toEqual([401, "authentication_required"]);
    const gone = await signIn(site.origin, "google", { email: "gone@people.example" });
    await call(site.origin, "/logout", { token: gone.access_token });
    expect(await refusal(await review({}, gone))).toEqual([401, "authentication_required"]);
    expect(await stored()).toEqual([]);
    expect(await countedFor(gone)).toEqual([]);
  });

  test("of a session that is another's by now, for whom nothing is counted either", async () => {
    const mover = await signIn(site.origin, "google", { email: "mover@people.example" });
    await sql`update sessions set user_id = ${pip.user.id} where user_id = ${mover.user.id}`.execute(database.db);
    expect(await refusal(await review({}, mover))).toEqual([401, "authentication_required"]);
    expect([...(await countedFor(mover)), ...(await countedFor(pip))]).toEqual([]);
  });

  test("without the public client key", async () => {
    const answer = await fetch(`${site.origin}/api/reviews`, { method: "PUT", body: "{}" });
    expect(await refusal(answer)).toEqual([401, "invalid_client_key"]);
  });
});

describe("limits", () => {
  test("let somebody write six times a minute, on all servers together, and say when to try again", async () => {
    for (let time = 0; time < 6; time++) await reviewed({ notes: `${time}` }, wren, time % 2 ? site : second);
    for (const server of [site, second]) {
      const answer = await review({ notes: "once more" }, wren, server);
      const wait = Number(answer.headers.get("retry-after"));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
      expect(await refusal(answer)).toEqual([429, "rate_limited"]);
    }
    expect(await stored()).toMatchObject([{ notes: "5" }]);
    await reviewed({}, pip);
  });

  test("are over when the window has run out", async () => {
    for (let time = 0; time < 6; time++) await review();
    const answer = await review({ notes: "too soon" });
    expect(answer.status).toBe(429);
    const wait = Number(answer.headers.get("retry-after")) * 1000;
    await sql`update review_limits set expire = expire - ${wait}`.execute(database.db); // as if that time had gone by
    expect((await reviewed({ notes: "in time" })).review.notes).toBe("in time");
  });

  test("refuse for a minute without using up the hour and the day", async () => {
    for (let time = 0; time < 12; time++) await review();
    const { rows } = await sql`select points from review_limits where key not like '60:%'`.execute(database.db);
    expect(rows).toEqual([{ points: 6 }, { points: 6 }]);
  });

  test("count refused and repeated writes as well", async () => {
    for (let time = 0; time < 3; time++) await review({ show_id: "show-none" });
    for (let time = 0; time < 3; time++) await reviewed();
    expect(await refusal(await review())).toEqual([429, "rate_limited"]);
  });

  test.each([
    [3_600, 30],
    [86_400, 100],
  ])("hold in %i seconds %i writes", async (duration, points) => {
    await reviewed();
    await sql`update review_limits set points = ${points - 1} where key = ${`${duration}:${wren.user.id}`}`.execute(
      database.db,
    );
    await reviewed();
    const answer = await review();
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(duration - 120);
  });
});

describe("what is written of shows", () => {
  test("are the newest five notes of each answer, without whose they are", async () => {
    await sql`insert into users (id, email)
      select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '@many.example' from generate_series(1, 9) n
      on conflict do nothing`.execute(database.db);
    await sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
      select 'show-2', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, case when n = 9 then 'no' else 'yes' end,
        case when n <> 4 then 'Note ' || n end, timestamptz '2025-08-01T12:00:00Z' + n * interval '1 minute'
      from generate_series(1, 9) n`.execute(database.db);
    const answer = await site.api("/api/reviews?show_id=show-2&show_id=show-3&show_id=show-9&show_id=unknown");
    const text = await answer.text();
    for (const secret of ["00000000", "@many.example", "user_id"]) expect(text).not.toContain(secret);
    const { reviews } = notesByShow.parse(JSON.parse(text));
    expect(Object.keys(reviews).toSorted()).toEqual(["show-2", "show-3"]);
    expect(reviews["show-2"]?.yes.count).toBe(8);
    expect(reviews["show-2"]?.yes.notes.map(({ notes }) => notes)).toEqual([
      "Note 8",
      "Note 7",
      "Note 6",
      "Note 5",
      "Note 3",
    ]);
    expect(reviews["show-2"]?.no).toEqual({
      count: 1,
      notes: [{ notes: "Note 9", created_at: "2025-08-01T12:09:00.000Z" }],
    });
    expect(reviews["show-3"]).toEqual({
      no: { count: 0, notes: [] },
      very_little: { count: 0, notes: [] },
      yes: { count: 0, notes: [] },
    });
  });

  test.each(["", "?show_id=", `?${Array.from({ length: 21 }, (_, n) => `show_id=${n}`).join("&")}`])(
    "is asked for 1 to 20 shows (%#)",
    async (query) => {
      const answer = await site.api(`/api/reviews${query}`);
      if (query === "?show_id=") expect(await answer.json()).toEqual({ reviews: {} });
      else expect(await refusal(answer)).toEqual([400, "invalid_query"]);
    },
  );

  test("is one answer in whatever order its shows are asked for", async () => {
    const [text, other] = await Promise.all(
      ["show_id=show-1&show_id=show-2", "show_id=show-2&show_id=show-1"].map(async (query) =>
        (await site.api(`/api/reviews?${query}`)).text(),
      ),
    );
    expect(other).toBe(text);
  });

  test("is revalidated by its ETag, which changes with what is written of these shows and only then", async () => {
    const ask = async (etag = "") => {
      const answer = await site.api("/api/reviews?show_id=show-1", { "If-None-Match": etag });
      return { status: answer.status, etag: answer.headers.get("etag") ?? expect.fail() };
    };
    await reviewed({ notes: "Hello" });
    const first = await ask();
    expect(await ask(first.etag)).toEqual({ status: 304, etag: first.etag });
    await reviewed({ notes: "Hello" });
    await reviewed({ show_id: "show-2", notes: "Elsewhere" });
    expect(await ask(first.etag)).toEqual({ status: 304, etag: first.etag });
    await reviewed({ notes: "Hello again" });
    const changed = await ask(first.etag);
    expect(changed).toEqual({ status: 200, etag: expect.not.stringMatching(first.etag) });
    await reviewed({ audience_interaction: "no" }, pip);
    expect((await ask(changed.etag)).status).toBe(200);
  });

  test("goes with a user who is deleted", async () => {
    const leaving = await signIn(site.origin, "google", { email: "leaving@people.example" });
    await reviewed({ notes: "Bye" }, leaving);
    await expect.poll(() => listed(site), { timeout: 5_000 }).toMatchObject({ yes: 1 });
    await sql`delete from users where id = ${leaving.user.id}`.execute(database.db);
    await expect.poll(() => listed(site), { timeout: 5_000 }).toMatchObject({ yes: 0 });
    await expect
      .poll(async () => (await written("show_id=show-1"))["show-1"]?.yes.notes, { timeout: 5_000 })
      .toEqual([]);
    await expectTalliesToEqualRecount();
  });
});

test("one's own reviews are one's own", async () => {
  await reviewed({ notes: "Mine" });
  await reviewed({ show_id: "show-2" }, pip);
  const answer = await site.api("/api/reviews/mine", { Authorization: `Bearer ${wren.access_token}` });
  expect(ownReviews.parse(await answer.json()).reviews).toMatchObject([{ show_id: "show-1", notes: "Mine" }]);
});

test("while the database is away a review is told to come again, notes in memory are still told, and all goes on afterwards", async () => {
  const proxy = await startRelay(database.url);
  const own = await startAccountsSite(proxy.url);
  const session = await signIn(own.site.origin, "google", { email: "patient@people.example" });
  await reviewed({ notes: "Before" });
  // Its own server learns of it by being told: what it is asked for after that stays in its memory.
  await expect.poll(() => listed(own.site), { timeout: 10_000 }).toMatchObject({ yes: 1 });
  await written("show_id=show-1", own.site);
  proxy.cut();
  expect(await refusal(await review({ notes: "Meanwhile" }, session, own.site))).toEqual([503, "unavailable"]);
  expect((await own.site.api("/api/reviews?show_id=show-1")).status).toBe(200);
  expect(await refusal(await own.site.api("/api/reviews?show_id=show-5"))).toEqual([503, "unavailable"]);
  proxy.restore();
  await expect
    .poll(async () => (await review({ notes: "After" }, session, own.site)).status, { timeout: 10_000 })
    .toBe(200);
  await expect.poll(() => listed(own.site), { timeout: 20_000 }).toMatchObject({ yes: 2 });
  await own.close();
  await proxy.close();
});
