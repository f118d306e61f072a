import { sql } from "kysely";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { idOf } from "../../dev/fake-festival-api/listing.ts";
import { inventReviewers, reviewHeaders, sendReview, signInAt } from "../../dev/harness/reviewers.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { givenChanged, givenReviews } from "../support/given.ts";
import { createBuildOfYear } from "../support/other-build.ts";
import {
  emptyTables,
  festivalSettings,
  recordingLog,
  refreshRows,
  showRows,
  startSmallFestival,
} from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { type SiteProcess, startSite } from "../support/site.ts";

const NEXT = YEAR + 1;
const { db, url } = await setUpDatabase();
const { programme, fake } = await startSmallFestival(100);
const events = programme.slice(0, 60);
const build = await createBuildOfYear(NEXT);
afterAll(() => Promise.all([fake.close(), build.remove()]));

const { log, lines } = recordingLog();
const eventAt = (index: number) => events[index] ?? expect.fail();
const [old, gone, double] = [idOf(eventAt(0)), idOf(eventAt(1)), "d".repeat(40)];
/** Forty of sixty shows come back. */
const next = events
  .slice(0, 40)
  .map((event, index) => ({ ...event, id: `${index}`.padStart(40, "f"), year: NEXT }));
const [again = expect.fail(), goneAgain] = next.map(idOf);
const reviewers = await inventReviewers(db, "", 3);
let rows: Awaited<ReturnType<typeof rowsOf>>[];
let site: SiteProcess;

/** Last year's shows with three reviews of some, and the site of the next year. */
beforeAll(async () => {
  programme.splice(0, programme.length, ...events);
  expect(await refreshShows({ db, api: fake, log })).toMatchObject({ listed: 60 });
  await sql`insert into shows (id, title, artist, year, status)
    select ${double}, title, artist, year, status from shows where id = ${idOf(eventAt(2))}`.execute(db);
  for (const show_id of [old, gone, idOf(eventAt(2)), double])
    await givenReviews(
      db,
      reviewers.map(({ id: user_id }, index) => ({
        show_id,
        user_id,
        notes: `Note ${index} <b>`,
        audience_interaction: index === 0 ? "yes" : "no",
      })),
    );
  for (const id of [gone, double]) await givenChanged(db, "shows", { listed: false }, { id });
  const before = await rowsOf(YEAR);
  programme.splice(0, programme.length, ...next);
  site = await startSite({ DATABASE_URL: url, ...festivalSettings(fake) }, build.program);
  await vi.waitUntil(async () => (await list("")).total === 40, { timeout: 60_000, interval: 50 });
  rows = [before, await rowsOf(YEAR)];
});
afterAll(() => site?.stop());

const html = async (path: string) => (await fetch(site.origin + path)).text();
const list = async (query: string) => (await site.api(`/api/shows?${query}`)).json();

/** Rows that a refresh must not change. */
async function rowsOf(year: number) {
  const { rows } = await sql`
    select reviews.*, tallies.*, reviews.xmin::text as review_xmin from reviews join tallies using (show_id)
    order by reviews.show_id, user_id`.execute(db);
  return { shows: (await showRows(db)).filter((show) => show.year === year), rows };
}

test("in another festival year the list is new, and last year's rows stay as they were", async () => {
  expect((await refreshRows(db)).at(-1)).toMatchObject({ listed: 40, added: 40, changed: 0, removed: 0 });
  expect(rows[1]).toEqual(rows[0]);
  expect(site.log.join("\n")).not.toContain("is not in the list any more");
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  expect((await list("")).year).toBe(NEXT);
  expect((await list(`search=${encodeURIComponent(eventAt(59).title)}`)).total).toBe(0);
  const sitemap = await html("/sitemap.xml");
  expect(sitemap).toContain(again);
  expect(sitemap).not.toContain(old);
  expect(await (await fetch(`${site.origin}/readyz`)).json()).toMatchObject({ shows: 40 });
});

test("a show that comes back has last year's reviews, if only one show had its name", async () => {
  const page = await list("");
  const card = page.shows.find(({ id }: { id: string }) => id === again);
  const last_year = { no: 2, very_little: 0, yes: 1 };
  expect(card).toMatchObject({ year: NEXT, last_year, reviews: { total: 0 } });
  const all: { id: string }[] = [...page.shows, ...(await list("page=2")).shows];
  const withLastYear = all.filter((show) => "last_year" in show);
  expect(withLastYear.map(({ id }) => id).sort()).toEqual([again, goneAgain]);
  expect(await html("/")).toContain(`>In ${YEAR}: 2 of 3 said No.</p>`);
});

test("last year's shows keep their addresses, with notes, badge and picture", async () => {
  const past = await html(`/?show=${old}`);
  expect(past).toContain(`Showing 1-1 of 1 show for ${YEAR}`);
  expect(past).toContain(`This show was at the Fringe in ${YEAR}.`);
  expect(past).toContain("2 of 3 said No");
  expect(past).toContain("Note 1 &lt;b&gt;");
  for (const text of ["Review This Show", "Reviewing a show needs"]) expect(past).not.toContain(text);
  expect(await html(`/?show=${old}&notes=no`)).toContain(`This show was at the Fringe in ${YEAR}.`);
  const shows = [{ year: YEAR, reviews: { no: 2 } }];
  for (const id of [old, gone])
    expect(await list(`show=${id}`)).toMatchObject({ year: NEXT, total: 1, shows });
  expect(await html(`/?show=${gone}`)).toContain(`This show was at the Fringe in ${YEAR}.`);
  expect(await html(`/?show=${idOf(eventAt(5))}`)).toContain("Nobody reviewed this show.");
  expect(await html(`/api/shows/${old}/badge.svg`)).toContain(`>In ${YEAR}: 2 of 3 said No.</text>`);
  const drawn = async () => (await fetch(`${site.origin}/api/shows/${old}/preview.png`)).status;
  await expect.poll(drawn).toBe(200);
});

test("last year's shows take no reviews, and lose those that their authors delete", async () => {
  const [author = expect.fail()] = await signInAt(db, site.origin, reviewers);
  const refused = await sendReview(site.origin, author, { show_id: old, audience_interaction: "no" });
  expect([refused.status, await refused.json()]).toMatchObject([404, { code: "show_not_found" }]);
  const headers = reviewHeaders(author);
  const mine = async () => (await fetch(`${site.origin}/api/reviews/mine`, { headers })).json();
  expect((await mine()).reviews).toMatchObject(Array(4).fill({ listed: false, year: YEAR }));
  await fetch(`${site.origin}/api/reviews?show_id=${gone}`, { method: "DELETE", headers });
  // The card of the show that came back changes at once.
  const card = async () => (await list(`show=${goneAgain}`)).shows[0];
  expect(await card()).toMatchObject({ last_year: { no: 2, very_little: 0, yes: 0 } });
});

test("beside it, or after it, the site of the earlier year works", async () => {
  const earlier = await startSite({ DATABASE_URL: url, ...festivalSettings(fake) });
  onTestFinished(() => earlier.stop().then());
  expect(await (await earlier.api("/api/shows")).json()).toMatchObject({ year: YEAR, total: 59 });
  const [, author = expect.fail()] = await signInAt(db, earlier.origin, reviewers);
  const review = { show_id: idOf(eventAt(7)), audience_interaction: "no" };
  expect((await sendReview(earlier.origin, author, review)).status).toBe(200);
  expect((await fetch(`${earlier.origin}/?show=${again}`)).status).toBe(404);
  expect(await (await fetch(`${earlier.origin}/api/shows/${again}/badge.svg`)).text()).toContain(
    "not listed",
  );
});

test("a record with the id of a show of another year is skipped with a warning, and that show stays as it was", async () => {
  await emptyTables(db);
  const { log, lines } = recordingLog();
  programme.splice(0, programme.length, ...events);
  await refreshShows({ db, api: fake, log });
  const [{ id: user_id } = expect.fail()] = await inventReviewers(db, "", 1);
  await givenReviews(
    db,
    [0, 1].map((index) => ({ show_id: idOf(eventAt(index)), user_id })),
  );
  const before = await rowsOf(YEAR);
  const next = events.map((event, index) => ({
    ...event,
    ...(index > 1 && { id: `${index}`.padStart(40, "f") }),
    year: NEXT,
  }));
  Object.assign(next[1] ?? {}, { title: "Another", artist: "Somebody" });
  programme.splice(0, programme.length, ...next);
  const counts = { listed: 58, added: 58, skipped: 2 };
  expect(await refreshShows({ db, api: fake, log, year: NEXT })).toMatchObject(counts);
  expect(await rowsOf(YEAR)).toEqual(before);
  expect(lines.filter(({ level }) => level > 30)).toMatchObject([
    {
      count: 2,
      records: [0, 1].map((index) => idOf(eventAt(index))),
      msg: expect.stringContaining("skipped"),
    },
  ]);
});
