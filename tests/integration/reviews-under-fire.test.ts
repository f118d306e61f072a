import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccessTokens } from "../../src/auth/access-token.server.ts";
import { createSigningKeys } from "../../src/auth/signing-keys.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { answers } from "../../src/reviews/review.ts";
import { showPage } from "../../src/shows/api-schema.server.ts";
import { startAccountsSite } from "../support/accounts.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed, type Site, startSite } from "../support/site.ts";

const USERS = 200;
const SHOWS = 50;

/** Writes of each user. */
const WRITES = 12;

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Somebody who reviews, and what they know of it. */
interface Reviewer {
  id: string;
  token: string;
  /** By show: what the server said it has stored, and what was sent since without an answer. */
  known: Map<string, { acknowledged: string | null; unanswered: Set<string> }>;
}

async function inventReviewers(db: Kysely<Schema>, origin: string): Promise<Reviewer[]> {
  const issue = await createAccessTokens(createSigningKeys(db), `${origin}/auth/v1`).issuer();
  await sql`insert into users (email) select n || '@people.example' from generate_series(1, ${USERS}::integer) n`.execute(
    db,
  );
  const { rows } = await sql<{ id: string; sessionId: string; email: string }>`
    insert into sessions (user_id, provider, refresh_key, expires_at)
    select id, 'google', decode(repeat('00', 32), 'hex'), now() + interval '1 day' from users
    returning user_id as id, id as "sessionId", '' as email`.execute(db);
  const signedInAt = new Date();
  const subjects = rows.map((row) => ({
    ...row,
    provider: "google" as const,
    app_metadata: {},
    user_metadata: {},
    signedInAt,
  }));
  return Promise.all(
    subjects.map(async (subject) => ({ id: subject.id, token: (await issue(subject)).token, known: new Map() })),
  );
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] ?? expect.fail();

/** Writes one review at random, at one of the servers that run, and notes what became of it. */
async function reviewAtRandom(reviewer: Reviewer, servers: readonly Site[]): Promise<void> {
  const showId = `show-${1 + Math.floor(Math.random() * SHOWS)}`;
  const answer = pick(answers);
  const known = reviewer.known.get(showId) ?? { acknowledged: null, unanswered: new Set<string>() };
  reviewer.known.set(showId, known);
  known.unanswered.add(answer);
  const response = await fetch(`${pick(servers).origin}/api/reviews`, {
    method: "PUT",
    headers: {
      apikey: "front-row-public",
      Authorization: `Bearer ${reviewer.token}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ show_id: showId, user_id: reviewer.id, audience_interaction: answer, notes: null }),
  }).catch(() => null);
  if (response?.status !== 200) return;
  expect((await response.json().catch(() => null))?.review.audience_interaction).toBe(answer);
  // Whatever was on its way before came before: a reviewer writes one after the other, and a dead server writes nothing more.
  known.acknowledged = answer;
  known.unanswered.clear();
}

test(`${USERS} people review ${SHOWS} shows at two servers that are killed and started again meanwhile: nothing that was acknowledged is lost, every tally is right, and every server shows it`, async () => {
  const { db } = database;
  await pretendRefreshed(db);
  await sql`insert into shows (id, title, year, status)
    select 'show-' || n, 'Show ' || n, 2025, 'active' from generate_series(1, ${SHOWS}::integer) n`.execute(db);
  // Nobody here keeps to the limits, which are another test's business: a count never gets beyond the first.
  await sql`create function keep_first() returns trigger language plpgsql as 'begin new.points := 1; return new; end'`.execute(
    db,
  );
  await sql`create trigger keep_first before update on review_limits for each row execute function keep_first()`.execute(
    db,
  );
  const world = await startAccountsSite(database.url);
  const servers = [world.site, await startSite(world.variables)];
  const reviewers = await inventReviewers(db, world.site.origin);

  let writing = true;
  const killing = (async () => {
    for (let turn = 0; writing; turn++) {
      const index = turn % 2;
      await servers[index]?.end("SIGKILL");
      servers[index] = await startSite({ ...world.variables, PORT: new URL(servers[index]?.origin ?? "").port });
    }
  })();
  const queue = [...reviewers];
  const worker = async () => {
    for (let reviewer = queue.pop(); reviewer; reviewer = queue.pop()) {
      for (let write = 0; write < WRITES; write++) await reviewAtRandom(reviewer, servers);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  writing = false;
  await killing;

  const { rows: stored } = await sql<{ show_id: string; user_id: string; audience_interaction: string }>`
    select show_id, user_id, audience_interaction from reviews`.execute(db);
  const answersOf = new Map(stored.map((row) => [`${row.user_id} ${row.show_id}`, row.audience_interaction]));
  let acknowledged = 0;
  for (const { id, known } of reviewers) {
    for (const [showId, { acknowledged: last, unanswered }] of known) {
      const kept = answersOf.get(`${id} ${showId}`);
      if (last !== null) acknowledged++;
      if (kept === undefined) expect(last).toBeNull();
      else expect([last, ...unanswered]).toContain(kept);
    }
  }
  expect(acknowledged).toBeGreaterThan(USERS);

  const { rows: recounted } = await sql<{ show_id: string; no: number; very_little: number; yes: number }>`
    select id as show_id, count(*) filter (where audience_interaction = 'no')::integer as no,
      count(*) filter (where audience_interaction = 'very_little')::integer as very_little,
      count(*) filter (where audience_interaction = 'yes')::integer as yes
    from shows left join reviews on show_id = id group by id order by id`.execute(db);
  const { rows: kept } = await sql`
    select show_id, no, very_little, yes from tallies order by show_id`.execute(db);
  expect(kept).toEqual(recounted.filter(({ no, very_little, yes }) => no + very_little + yes > 0));
  for (const server of servers) await expect.poll(() => shownBy(server), { timeout: 10_000 }).toEqual(recounted);

  await Promise.all(servers.map((server) => server.end()));
  await world.close();
});

/** The tallies of all shows in a server's list. */
async function shownBy(server: Site) {
  const pages = await Promise.all([1, 2, 3].map(async (page) => (await server.api(`/api/shows?page=${page}`)).json()));
  const shows = pages.flatMap((page) => showPage.parse(page).shows);
  const tallies = shows.map(({ id, reviews: { no, very_little, yes } = { no: -1, very_little: -1, yes: -1 } }) => ({
    show_id: id,
    no,
    very_little,
    yes,
  }));
  return tallies.sort((a, b) => (a.show_id < b.show_id ? -1 : 1));
}
