import { beforeEach, expect, test } from "vitest";
import { notesByShow } from "../../src/domain/notes-dto.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { ownReviews, savedReview } from "../../src/domain/review-dto.ts";
import {
  bearer,
  callAuth,
  statusAndCode as refusal,
  type SessionResponse,
  signIn,
} from "../support/accounts.ts";
import {
  givenChanged,
  givenDeleted,
  givenNone,
  givenReviews,
  givenShows,
  givenUsers,
} from "../support/given.ts";
import { notesOf, readFirstPage } from "../support/read-list.ts";
import { requestWithHost } from "../support/request-with-host.ts";
import { setUpAccountsSite, setUpDatabase, setUpSite } from "../support/set-up.ts";
import type { Site } from "../support/site.ts";
import { countedWrites, expectTrueTallies, storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(
  db,
  Array.from({ length: 9 }, (_, index) => ({
    title: `Show 0${index + 1}`,
    year: index === 7 ? YEAR - 1 : YEAR,
    listed: index !== 8,
  })),
);
const accountsSite = await setUpAccountsSite(database);
const { site } = accountsSite;
const second = await setUpSite(database, accountsSite.variables);
const wren = await signIn(site.origin, "google", { email: "wren@people.example" });
const pip = await signIn(site.origin, "github", { email: "pip@people.example" });
beforeEach(async () => {
  await givenDeleted(db, "reviews");
  await givenNone(db, "review_limits");
});

const writeCounts = ({ user }: SessionResponse) => countedWrites(db, user.id);
const on = (day: number) => ({ created_at: new Date(Date.UTC(2025, 7, day)) });
type ReviewBody = Partial<Record<"show_id" | "audience_interaction" | "notes", unknown>>;

const put = (body: object, session: SessionResponse | null = wren, server: Site = site) =>
  server.api("/api/reviews", session ? bearer(session) : {}, { method: "PUT", body: JSON.stringify(body) });

function review(changes: ReviewBody = {}, session = wren, server: Site = site): Promise<Response> {
  const review = { show_id: "show-1", user_id: session.user.id, audience_interaction: "yes", notes: null };
  return put({ ...review, ...changes }, session, server);
}

async function saveReview(changes: ReviewBody = {}, session = wren, server: Site = site) {
  const response = await review(changes, session, server);
  expect(response.status).toBe(200);
  return savedReview.parse(await response.json());
}

const stored = () => storedRows(db, "reviews", ["show_id", "user_id", "audience_interaction", "notes"]);

test("PUT /api/reviews stores the review and returns it with the new tallies of the show", async () => {
  const saved = await saveReview({ notes: "  They sang to me.\n " });
  expect(saved).toEqual({
    review: {
      show_id: "show-1",
      user_id: wren.user.id,
      audience_interaction: "yes",
      notes: "They sang to me.",
      created_at: expect.any(String),
    },
    reviews: {
      no: 0,
      very_little: 0,
      yes: 1,
      latest_at: saved.review.created_at,
      revision: expect.any(Number),
    },
  });
  expect((await saveReview({ audience_interaction: "no" }, pip)).reviews).toMatchObject({ no: 1, yes: 1 });
  await expectTrueTallies(db);
});

test("a resubmission keeps time and position, and an identical one changes nothing (docs/product.md §5.14)", async () => {
  const first = await saveReview({ notes: "Mine" });
  expect(await saveReview({ notes: " Mine " })).toEqual(first);
  const other = await saveReview({ show_id: "show-2" }, pip);
  expect(other.review.created_at > first.review.created_at).toBe(true);
  for (const changed of [
    { audience_interaction: "no", notes: "Mine" },
    { audience_interaction: "no", notes: "Mine, again" },
    { audience_interaction: "very_little", notes: null },
  ]) {
    const again = await saveReview(changed);
    expect(again.review).toMatchObject({ ...changed, created_at: first.review.created_at });
    expect(again.reviews.latest_at).toBe(first.review.created_at);
  }
  expect((await readFirstPage(site)).slice(0, 2).map(({ id }) => id)).toEqual(["show-2", "show-1"]);
  expect(await stored()).toHaveLength(2);
  await expectTrueTallies(db);
});

test("PUT /api/reviews stores one review of concurrent writes at two servers (docs/product.md §5.2)", async () => {
  const responses = await Promise.all(
    [site, second, site, second].map((server, index) => review({ notes: `Note ${index % 2}` }, wren, server)),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await stored()).toHaveLength(1);
  await expectTrueTallies(db);
});

test("PUT /api/reviews updates list, notes and page on every server soon, to the same bytes", async () => {
  const { host } = new URL(site.origin);
  const read = ({ origin }: Site, path: string) =>
    requestWithHost(origin + path, host, { headers: { apikey: "front-row-public" } });
  const readAll = async (server: Site) => ({
    first: (await readFirstPage(server))[0],
    notes: await notesOf(server, "show-7"),
    badge: /Most common: \w+/.exec(await (await read(server, "/")).text())?.[0],
  });
  for (const server of [site, second])
    await expect.poll(() => readAll(server)).toMatchObject({ notes: [], badge: undefined });
  await saveReview({ show_id: "show-7", notes: "Hello" });
  const first = { id: "show-7", reviews: { no: 0, yes: 1 } };
  const all = { first, notes: ["Hello"], badge: "Most common: Yes" };
  for (const server of [site, second]) await expect.poll(() => readAll(server)).toMatchObject(all);
  // A cache in front of both revalidates at either.
  for (const path of ["/", "/api/shows"]) {
    const responses = () => Promise.all([site, second].map((server) => read(server, path)));
    const etags = async () => new Set((await responses()).map(({ headers }) => headers.get("etag")));
    await expect.poll(async () => (await etags()).size).toBe(1);
  }
});

test("PUT /api/reviews needs the client key and the user's own session, and counts no other write", async () => {
  const withoutKey = await fetch(`${site.origin}/api/reviews`, { method: "PUT", body: "{}" });
  expect(await refusal(withoutKey)).toEqual([401, "invalid_client_key"]);
  const signedOut = await signIn(site.origin, "google", { email: "gone@people.example" });
  await callAuth(site.origin, "/logout", { token: signedOut.access_token });
  const mover = await signIn(site.origin, "google", { email: "mover@people.example" });
  await givenChanged(db, "sessions", { user_id: pip.user.id }, { user_id: mover.user.id });
  for (const refused of [await put({}, null), await review({}, signedOut), await review({}, mover)])
    expect(await refusal(refused)).toEqual([401, "authentication_required"]);
  for (const user of [signedOut, mover, pip]) expect(await writeCounts(user)).toEqual({});
  expect(await stored()).toEqual([]);
});

test("GET /api/reviews returns the newest five notes of each interaction without authors (docs/product.md §4.1, §10.1)", async () => {
  const authors = await givenUsers(db, 9);
  await givenReviews(
    db,
    authors.map((user_id, index) => ({
      ...{ user_id, show_id: "show-2", audience_interaction: index === 8 ? "no" : "yes" },
      notes: index === 3 ? null : `Note ${index + 1}`,
      created_at: new Date(Date.UTC(2025, 7, 1, 12, index + 1)),
    })),
  );
  const response = await site.api(
    "/api/reviews?show_id=show-2&show_id=show-3&show_id=show-9&show_id=unknown",
  );
  const text = await response.text();
  for (const secret of [...authors, "@people.example", "user_id"]) expect(text).not.toContain(secret);
  const { reviews } = notesByShow.parse(JSON.parse(text));
  expect(Object.keys(reviews).toSorted()).toEqual(["show-2", "show-3"]);
  const newest = [8, 7, 6, 5, 3].map((n) => expect.objectContaining({ notes: `Note ${n}` }));
  expect(reviews["show-2"]?.yes).toEqual({ count: 8, total: 7, notes: newest });
  expect(reviews["show-2"]?.no).toEqual({
    count: 1,
    total: 1,
    notes: [{ id: expect.any(String), notes: "Note 9", created_at: "2025-08-01T12:09:00.000Z" }],
  });
  const none = { count: 0, total: 0, notes: [] };
  expect(reviews["show-3"]).toEqual({ no: none, very_little: none, yes: none, revision: 0 });
});

const showIds = (count: number) => Array.from({ length: count }, (_, n) => `show_id=unlisted-${n}`).join("&");

test("GET /api/reviews accepts one to twenty shows, leaves out unlisted ones, and ignores their order", async () => {
  for (const count of [0, 21, 60])
    expect(await refusal(await site.api(`/api/reviews?${showIds(count)}`))).toEqual([400, "invalid_query"]);
  for (const query of [showIds(1), showIds(20), "show_id="])
    expect(await (await site.api(`/api/reviews?${query}`)).json()).toEqual({ reviews: {} });
  const [text, other] = await Promise.all(
    ["show_id=show-1&show_id=show-2", "show_id=show-2&show_id=show-1"].map(async (query) =>
      (await site.api(`/api/reviews?${query}`)).text(),
    ),
  );
  expect(other).toBe(text);
});

test("GET /api/reviews has an ETag that changes with the reviews of these shows, and only then", async () => {
  const fetchNotesWith = async (etag = "") => {
    const response = await site.api("/api/reviews?show_id=show-1", { "If-None-Match": etag });
    return { status: response.status, etag: response.headers.get("etag") ?? expect.fail() };
  };
  await saveReview({ notes: "Hello" });
  const first = await fetchNotesWith();
  expect(await fetchNotesWith(first.etag)).toEqual({ status: 304, etag: first.etag });
  await saveReview({ notes: "Hello" });
  await saveReview({ show_id: "show-2", notes: "Elsewhere" });
  expect(await fetchNotesWith(first.etag)).toEqual({ status: 304, etag: first.etag });
  await saveReview({ notes: "Hello again" });
  const changed = await fetchNotesWith(first.etag);
  expect(changed).toEqual({ status: 200, etag: expect.not.stringMatching(first.etag) });
  await saveReview({ audience_interaction: "no" }, pip);
  expect((await fetchNotesWith(changed.etag)).status).toBe(200);
});

const remove = (query: string, session: SessionResponse | null = wren, server: Site = site) =>
  server.api(`/api/reviews${query}`, session ? bearer(session) : {}, { method: "DELETE" });

const seen = () =>
  Promise.all(
    [site, second].map(async (server) => {
      const tallies = (await readFirstPage(server)).find(({ id }) => id === "show-1")?.reviews;
      const counts = [tallies?.no, tallies?.yes, tallies?.latest_at?.slice(0, 10)];
      return [...counts, ...(await notesOf(server, "show-1"))];
    }),
  );
const untilSeen = (expected: unknown[]) => expect.poll(seen).toEqual([expected, expected]);

test("DELETE /api/reviews removes only the user's own review, on every instance, and is limited like a review", async () => {
  await givenReviews(db, [
    { user_id: wren.user.id, notes: "Mine", ...on(2) },
    { user_id: pip.user.id, audience_interaction: "no", notes: "Theirs", ...on(1) },
    { user_id: wren.user.id, show_id: "show-9", ...on(1) },
  ]);
  await untilSeen([1, 1, "2025-08-02", "Theirs", "Mine"]);
  const none = { no: 0, very_little: 0, yes: 0, latest_at: null, revision: expect.any(Number) };
  const left = { ...none, no: 1, latest_at: "2025-08-01T00:00:00.000Z" };
  for (const server of [site, second]) {
    const response = await remove("?show_id=show-1", wren, server);
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await response.json()).toEqual({ reviews: left });
  }
  const after = [1, 0, "2025-08-01", "Theirs"];
  await untilSeen(after);
  for (const id of ["show-9", "nowhere"])
    expect(await (await remove(`?show_id=${id}`)).json()).toEqual({ reviews: none });
  await expectTrueTallies(db);
  expect(await writeCounts(wren)).toEqual({ 60: 4, 3600: 4, 86400: 4 });
  expect(await refusal(await remove("?show_id=show-1", null))).toEqual([401, "authentication_required"]);
  for (const query of ["", "?show_id=", "?show_id=show-1&show_id=show-2", "?show_id=%00"])
    expect(await refusal(await remove(query, pip))).toEqual([400, "invalid_query"]);
  // Six writes a minute are allowed over all servers together (docs/product.md §5.16).
  for (let count = 0; count < 2; count++) await remove("?show_id=show-2", pip, second);
  for (const refused of [await remove("?show_id=show-1", pip), await review({}, pip, second)]) {
    expect(Math.ceil(Number(refused.headers.get("retry-after")) / 60)).toBe(1);
    expect(await refusal(refused)).toEqual([429, "rate_limited"]);
  }
  await untilSeen(after);
});

const fetchOwn = (query: string) => site.api(`/api/reviews/mine${query}`, bearer(wren));

async function ownPage(query: string) {
  return ownReviews.parse(await (await fetchOwn(query)).json());
}

/** Inserts reviews by Wren of unlisted shows. Each seven have the same time. */
async function insertOwnReviews(count: number): Promise<void> {
  if (count === 0) return;
  const left = Array.from({ length: count }, () => ({ id: crypto.randomUUID(), listed: false }));
  const shows = await givenShows(db, left);
  await givenReviews(
    db,
    shows.map((show_id, index) => ({
      ...{ show_id, user_id: wren.user.id },
      created_at: new Date(Date.UTC(2025, 7, 1, 0, Math.floor(index / 7))),
    })),
  );
}

test.each([
  [0, [0]],
  [50, [50]],
  [145, [50, 50, 45]],
])("%i own reviews come once each, newest first, in pages of %j", async (count, lengths) => {
  await insertOwnReviews(count);
  const pages = [await ownPage("")];
  for (let next = pages[0]?.next_page; next; next = pages.at(-1)?.next_page)
    pages.push(await ownPage(`?page=${next}`));
  expect(pages.map(({ reviews }) => reviews.length)).toEqual(lengths);
  expect(pages.map(({ total }) => total)).toEqual(lengths.map(() => count));
  expect(await ownPage("?page=1")).toEqual(pages[0]);
  const stored = await storedRows(db, "reviews", ["created_at", "show_id"]);
  const newestFirst = stored.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime());
  const listed = pages.flatMap(({ reviews }) => reviews.map(({ show_id }) => show_id));
  expect(listed).toEqual(newestFirst.map(({ show_id }) => show_id));
});

test("own reviews have the facts of their shows; later pages are empty, and malformed ones are refused", async () => {
  await saveReview({ notes: "Mine" });
  await saveReview({ show_id: "show-2" }, pip);
  const mine = { show_id: "show-1", notes: "Mine", title: "Show 01", venue_name: null, listed: true };
  expect((await ownPage("")).reviews).toMatchObject([mine]);
  for (const page of ["2", "9007199254740991", "99999999999999999999"])
    expect(await ownPage(`?page=${page}`)).toEqual({ reviews: [], total: 1, next_page: null });
  const message = "page must be one whole number from 1.";
  for (const wrong of ["0", "-1", "1.5", "", "two", "1&page=2", "1%20or%201"]) {
    const response = await fetchOwn(`?page=${wrong}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ code: "invalid_query", message });
  }
});
