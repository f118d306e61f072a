import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { ownReviews, reviewAnswer, showsReviews } from "../../src/reviews/api-schema.server.ts";
import { showPage } from "../../src/shows/api-schema.server.ts";
import { type AccountsSite, call, type SessionAnswer, signIn, startAccountsSite } from "../support/accounts.ts";
import { startCuttableProxy } from "../support/cuttable-proxy.ts";
import { createTestDatabase } from "../support/postgres.ts";
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
  return reviewAnswer.parse(await answer.json());
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
  return showsReviews.parse(await answer.json()).reviews;
}

async function listed(from: Site, id = "show-1") {
  const { shows } = showPage.parse(await (await from.api("/api/shows")).json());
  return shows.find((show) => show.id === id)?.reviews;
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

  test("is seen by everybody, on every server, without a restart", async () => {
    await reviewed({ notes: "Hello" });
    for (const server of [site, second]) {
      await expect.poll(() => listed(server), { timeout: 5_000 }).toMatchObject({ yes: 1 });
      await expect
        .poll(async () => (await written("show_id=show-1", server))["show-1"]?.yes.notes[0]?.notes)
        .toBe("Hello");
    }
  });
});

describe("notes", () => {
  test.each([
    ["nothing", undefined, null],
    ["null", null, null],
    ["white space", " \n\t\u00a0\u2003 ", null],
    ["what nobody sees", "\u200b\ufeff\u2060", null],
    ["line breaks of any kind", "a\r\nb\rc\nd\te", "a\nb\nc\nd\te"],
    ["markup", "<script>alert(1)</script> & <b>bold</b>", "<script>alert(1)</script> & <b>bold</b>"],
    ["SQL", "'; drop table reviews; --", "'; drop table reviews; --"],
    ["direction overrides", "abc\u202egnp.exe\u2066x\u2069", "abcgnp.exex"],
    ["right-to-left text and emoji", "مرحبا 🎭👩‍👩‍👧", "مرحبا 🎭👩‍👩‍👧"],
    ["1000 characters", "a".repeat(1000), "a".repeat(1000)],
    ["1000 characters with space around", ` ${"a".repeat(1000)} `, "a".repeat(1000)],
    ["500 emoji", "🎭".repeat(500), "🎭".repeat(500)],
  ])("of %s are kept as they should be", async (_what, notes, kept) => {
    expect((await reviewed({ notes })).review.notes).toBe(kept);
    expect(await stored()).toMatchObject([{ notes: kept }]);
  });

  test.each([
    ["1001 characters", "a".repeat(1001)],
    ["501 emoji", "🎭".repeat(501)],
    ["10,000 characters", "ab ".repeat(3_334)],
  ])("of %s are too long", async (_what, notes) => {
    const answer = await review({ notes });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toEqual({ code: "notes_too_long", message: "Notes cannot exceed 1000 characters" });
    expect(await stored()).toEqual([]);
  });

  test.each([
    ["a NUL", "a\0b"],
    ["an escape", "a\u001b[31mb"],
    ["a bell", "\u0007"],
    ["a next line", "a\u0085b"],
    ["half of an emoji", "🎭".slice(0, 1)],
    ["the other half", "🎭".slice(1)],
  ])("with %s are refused", async (_what, notes) => {
    expect(await refusal(await review({ notes }))).toEqual([400, "invalid_review"]);
    expect(await stored()).toEqual([]);
  });

  test("whatever they hold, what is stored is clean, or nothing is", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.string({ unit: "grapheme", maxLength: 600 }),
    );
    await fc.assert(
      fc.asyncProperty(text, async (notes) => {
        await sql`delete from review_limits`.execute(database.db);
        const answer = await review({ notes });
        expect([200, 400, 422]).toContain(answer.status);
        if (answer.status !== 200) return;
        const { notes: kept } = reviewAnswer.parse(await answer.json()).review;
        if (kept === null) return;
        expect(kept).toBe(kept.trim());
        expect(kept.length).toBeLessThanOrEqual(1000);
        expect(kept).not.toMatch(/[\u202A-\u202E\u2066-\u2069\r\0]/);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a review is refused", () => {
  test.each([
    ["of an unknown show", { show_id: "show-none" }, [404, "show_not_found"]],
    ["of a show that is not listed", { show_id: "show-9" }, [404, "show_not_found"]],
    ["of a show of another year", { show_id: "show-8" }, [404, "show_not_found"]],
    ["with a NUL in the show", { show_id: "show-1\0" }, [400, "invalid_review"]],
    ["with a number for a show", { show_id: 1 }, [400, "invalid_review"]],
    ["with an unknown answer", { audience_interaction: "maybe" }, [400, "invalid_review"]],
    ["with no answer", { audience_interaction: undefined }, [400, "invalid_review"]],
    ["with a list for notes", { notes: ["a"] }, [400, "invalid_review"]],
    ["in nobody's name", { user_id: undefined }, [400, "invalid_review"]],
    ["in another's name", { user_id: "00000000-0000-4000-8000-000000000001" }, [403, "not_your_review"]],
  ])("%s", async (_what, more, expected) => {
    expect(await refusal(await review(more))).toEqual(expected);
    expect(await stored()).toEqual([]);
  });

  test.each([
    ["no JSON", "show_id=show-1"],
    ["half of it", '{"show_id":"show-1"'],
    ["null", "null"],
    ["a list", "[]"],
    ["deep nesting", "[".repeat(20_000)],
    ["deep nesting in notes", `{"notes":${"[".repeat(20_000)}`],
  ])("as %s", async (_what, body) => {
    expect(await refusal(await put(body))).toEqual([400, "invalid_review"]);
  });

  test("of 10 MB", async () => {
    expect(await refusal(await review({ notes: "a".repeat(10_000_000) }))).toEqual([413, "request_too_large"]);
  });

  test("of somebody who is not signed in, or not any more", async () => {
    expect(await refusal(await put({}, null))).toEqual([401, "authentication_required"]);
    const gone = await signIn(site.origin, "google", { email: "gone@people.example" });
    await call(site.origin, "/logout", { token: gone.access_token });
    expect(await refusal(await review({}, gone))).toEqual([401, "authentication_required"]);
    expect(await stored()).toEqual([]);
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
    const { reviews } = showsReviews.parse(JSON.parse(text));
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

  test("is revalidated by its ETag", async () => {
    await reviewed({ notes: "Hello" });
    const first = await site.api("/api/reviews?show_id=show-1");
    const again = await site.api("/api/reviews?show_id=show-1", { "If-None-Match": first.headers.get("etag") ?? "" });
    expect([first.status, again.status]).toEqual([200, 304]);
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
  const proxy = await startCuttableProxy(database.url);
  const own = await startAccountsSite(proxy.url);
  const session = await signIn(own.site.origin, "google", { email: "patient@people.example" });
  await reviewed({ notes: "Before" }, session, own.site);
  await written("show_id=show-1", own.site);
  proxy.cut();
  expect(await refusal(await review({ notes: "Meanwhile" }, session, own.site))).toEqual([503, "unavailable"]);
  expect((await own.site.api("/api/reviews?show_id=show-1")).status).toBe(200);
  expect(await refusal(await own.site.api("/api/reviews?show_id=show-5"))).toEqual([503, "unavailable"]);
  proxy.restore();
  await expect
    .poll(async () => (await review({ notes: "After" }, session, own.site)).status, { timeout: 10_000 })
    .toBe(200);
  await expect.poll(() => listed(own.site), { timeout: 20_000 }).toMatchObject({ yes: 1 });
  await own.close();
  await proxy.close();
});
