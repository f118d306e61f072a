import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type InventedReviewer, inventReviewers } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { notesByShow } from "../../src/domain/notes-dto.ts";
import type { ReportReason } from "../../src/domain/report.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { recordRecentRefresh, type Site, startSite } from "../support/site.ts";

const SHOW = "show-1";
const TEXT = "Names my neighbour.";

let database: Database;
let site: Site;
/** A second server process on the same database. */
let second: Site;
let author: InventedReviewer;
/** Signed-in users who have reported nothing yet. */
let reporters: InventedReviewer[];
let noteId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await recordRecentRefresh(database.db);
  await sql`insert into shows (id, title, year, status) values (${SHOW}, 'Moth Hour', 2025, 'active')`.execute(
    database.db,
  );
  const variables = { DATABASE_URL: database.url, TRUSTED_PROXIES: "127.0.0.1" };
  site = await startSite(variables);
  second = await startSite({ ...variables, ORIGIN: site.origin });
});
afterAll(async () => {
  await second.stop();
  await site.stop();
  await database.close();
});
beforeEach(async () => {
  await sql`delete from users`.execute(database.db);
  const [first, ...others] = await inventReviewers(database.db, site.origin, 6);
  author = first ?? expect.fail();
  reporters = others;
  await sql`insert into reviews (show_id, user_id, audience_interaction, notes)
    values (${SHOW}, ${author.id}, 'yes', ${TEXT})`.execute(database.db);
  noteId = await waitForNote();
});

/** The notes that others see at a server. */
async function notesAt(server: Site) {
  const response = await server.api(`/api/reviews?show_id=${SHOW}`, { "X-Forwarded-For": nextClient() });
  return notesByShow.parse(await response.json()).reviews[SHOW]?.yes ?? expect.fail();
}

/** Waits until both servers show the author's note. Returns its id. */
async function waitForNote(): Promise<string> {
  const stored = await sql<{ note_id: string }>`select note_id from reviews`.execute(database.db);
  const id = stored.rows[0]?.note_id ?? expect.fail();
  const ids = async () => (await Promise.all([site, second].map(notesAt))).map(({ notes }) => notes[0]?.id);
  await expect.poll(ids).toEqual([id, id]);
  return id;
}

let clients = 0;

/** An address that no request has come from yet. */
function nextClient(): string {
  clients += 1;
  return `198.18.${clients >> 8}.${clients & 255}`;
}

interface Sender {
  as?: InventedReviewer | undefined;
  client?: string;
  server?: Site;
}

function report(body: object, { as, client = nextClient(), server = site }: Sender = {}): Promise<Response> {
  return fetch(`${server.origin}/api/reports`, {
    method: "POST",
    headers: {
      apikey: "front-row-public",
      "Content-Type": "application/json",
      "X-Forwarded-For": client,
      ...(as && { Authorization: `Bearer ${as.token}` }),
    },
    body: JSON.stringify({ note_id: noteId, reason: "abusive", ...body }),
  });
}

/** Reports the note and expects success. */
async function reported(reason: ReportReason, sender?: Sender): Promise<void> {
  const response = await report({ reason }, sender);
  expect([response.status, await response.json()]).toEqual([201, { reported: true }]);
}

async function errorOf(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json()).code];
}

/** The queue of the operator, with what reporters said. */
async function queue() {
  const { rows } = await sql<object>`
    select rule, anonymous_count as anonymous, hidden_at is not null as hidden,
      (select count(*)::integer from report_reasons where report_id = reports.id) as reasons
    from reports where decided_at is null order by id`.execute(database.db);
  return rows;
}

test("reports of a note are one entry of the queue, with the gravest reason", async () => {
  expect(await report({ text: "  See\r\nline 2. " }).then(({ status }) => status)).toBe(201);
  await reported("fake", { as: reporters[0] });
  await reported("illegal");
  expect(await queue()).toEqual([{ rule: "illegal", anonymous: 2, hidden: false, reasons: 3 }]);
  const { rows } = await sql`select reason, text, reporter_id from report_reasons order by id`.execute(
    database.db,
  );
  expect(rows).toEqual([
    { reason: "abusive", text: "See\nline 2.", reporter_id: null },
    { reason: "fake", text: null, reporter_id: reporters[0]?.id },
    { reason: "illegal", text: null, reporter_id: null },
  ]);
});

test("whoever reports a note twice counts once, at the same time and on any instance", async () => {
  const client = nextClient();
  await reported("fake", { client });
  await reported("personal_data", { client });
  const as = reporters[0];
  await Promise.all([site, second, site].map((server) => reported("abusive", { as, server })));
  expect(await queue()).toEqual([{ rule: "abusive", anonymous: 1, hidden: false, reasons: 2 }]);
});

test("a repeat by who is not signed in is answered when the first report is stored, and fails with it", async () => {
  const client = nextClient();
  const statuses: number[] = [];
  const send = async () => void statuses.push((await report({ reason: "illegal" }, { client })).status);
  await database.db.transaction().execute(async (holding) => {
    await sql`select from users where id = ${author.id} for update`.execute(holding);
    const failing = [send(), send(), send()];
    // Whatever waits for the author fails.
    const failed = async () => {
      await sql`select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
      return statuses.length === failing.length;
    };
    await expect.poll(failed).toBe(true);
    expect(statuses.splice(0)).toEqual([503, 503, 503]);
    void send();
    void send();
    const waiting = async () =>
      (
        await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
      ).rows.length;
    await expect.poll(waiting).toBe(1);
    expect(statuses).toEqual([]);
  });
  await expect.poll(() => statuses).toEqual([201, 201]);
  expect(await queue()).toEqual([{ rule: "illegal", anonymous: 1, hidden: false, reasons: 1 }]);
});

test("authors cannot report their own notes, and nobody one that is gone", async () => {
  await reported("illegal", { as: author });
  expect(await queue()).toEqual([]);
  await sql`update reviews set notes = 'Changed.'`.execute(database.db);
  expect(await errorOf(await report({}, { as: reporters[0] }))).toEqual([404, "note_not_found"]);
  expect(await errorOf(await report({ note_id: crypto.randomUUID() }))).toEqual([404, "note_not_found"]);
  await sql`update reviews set notes = null`.execute(database.db);
  const { rows } = await sql<{ note_id: string }>`select note_id from reviews`.execute(database.db);
  expect(await errorOf(await report({ note_id: rows[0]?.note_id }))).toEqual([404, "note_not_found"]);
  expect(await queue()).toEqual([]);
});

test("three signed-in reporters hide the text within a second everywhere, and the tally stays", async () => {
  await reported("abusive", { as: reporters[0] });
  await reported("illegal");
  await reported("fake", { as: reporters[1], server: second });
  expect((await notesAt(site)).notes).toHaveLength(1);
  await reported("abusive", { as: reporters[2], server: second });
  const seen = () => Promise.all([site, second].map(notesAt));
  await expect.poll(seen, { timeout: 1_000 }).toEqual(Array(2).fill({ count: 1, notes: [] }));
  for (const server of [site, second])
    await expect.poll(() => readPage(server), { timeout: 1_000 }).not.toContain(TEXT);
  // Who has reported it hears the same as before; to others it is gone.
  await reported("abusive", { as: reporters[2] });
  expect(await errorOf(await report({}, { as: reporters[3] }))).toEqual([404, "note_not_found"]);
  expect(await queue()).toEqual([{ rule: "illegal", anonymous: 1, hidden: true, reasons: 4 }]);
  const own = await site.api("/api/reviews/mine", { Authorization: `Bearer ${author.token}` });
  expect((await own.json()).reviews).toMatchObject([{ notes: TEXT }]);
});

test("one signed-in reporter hides personal data, unless too many of their reports were dismissed", async () => {
  await sql`update users set dismissed_reports = 3 where id = ${reporters[0]?.id}`.execute(database.db);
  await sql`update users set quarantined_at = now() where id = ${reporters[1]?.id}`.execute(database.db);
  await reported("personal_data", { as: reporters[0] });
  await reported("illegal", { as: reporters[1] });
  await reported("abusive", { as: reporters[2] });
  expect(await queue()).toMatchObject([{ hidden: false, reasons: 3 }]);
  await reported("personal_data", { as: reporters[3] });
  expect(await queue()).toMatchObject([{ rule: "personal_data", hidden: true, reasons: 4 }]);
  await expect.poll(async () => (await notesAt(second)).notes, { timeout: 1_000 }).toEqual([]);
});

test("after a note was kept, only new reporters can hide it", async () => {
  for (const as of reporters.slice(0, 3)) await reported("abusive", { as });
  await sql`update reports set decided_at = now(), hidden_at = null`.execute(database.db);
  await sql`update reviews set hidden_rule = null`.execute(database.db);
  for (const as of reporters.slice(0, 3)) await reported("abusive", { as });
  expect(await queue()).toEqual([]);
  await reported("abusive", { as: reporters[3] });
  await reported("abusive", { as: reporters[4] });
  expect(await queue()).toEqual([{ rule: "abusive", anonymous: 0, hidden: false, reasons: 2 }]);
});

test("reports by many people who are not signed in are one entry and keep twenty reasons", async () => {
  for (let n = 0; n < 12; n++) await Promise.all([reported("illegal"), reported("fake")]);
  expect(await queue()).toEqual([{ rule: "illegal", anonymous: 24, hidden: false, reasons: 20 }]);
});

test("bodies and tokens that make no sense are refused", async () => {
  for (const body of [
    { note_id: "x" },
    { reason: "boring" },
    { text: "x".repeat(301) },
    { text: "a\u0000b" },
    { text: 5 },
  ])
    expect(await errorOf(await report(body))).toEqual([400, "invalid_report"]);
  const stranger = { ...author, token: "e30.e30.x" };
  expect(await errorOf(await report({}, { as: stranger }))).toEqual([401, "authentication_required"]);
  expect((await report({ text: "x".repeat(10_000) })).status).toBe(413);
  expect((await site.api("/api/reports")).status).toBe(405);
  const withoutKey = await fetch(`${site.origin}/api/reports`, { method: "POST", body: "{}" });
  expect(await errorOf(withoutKey)).toEqual([401, "invalid_client_key"]);
  expect(await queue()).toEqual([]);
});

test("a network may report twenty notes in ten minutes", async () => {
  const client = nextClient();
  for (let n = 0; n < 20; n++) expect((await report({ reason: "?" }, { client })).status).toBe(400);
  const refused = await report({}, { client });
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(await errorOf(refused)).toEqual([429, "rate_limited"]);
  expect((await report({})).status).toBe(201);
});

/** The page of the show. */
const readPage = async ({ origin }: Site) => (await fetch(`${origin}/?show=${SHOW}`)).text();

/** Sends the form of a page without scripts. Resolves with the page's address that it leads to. */
async function sendForm(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${site.origin}/api/reports?show=${SHOW}`, {
    method: "POST",
    headers: { "X-Forwarded-For": nextClient(), ...headers },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
  expect(response.status).toBe(303);
  return response.headers.get("Location") ?? "";
}

test("without scripts the page of a show has a form for each note, and says how it ended", async () => {
  await expect.poll(() => readPage(site)).toContain(noteId);
  const page = await readPage(site);
  expect(page).toContain(`action="/api/reports?show=${SHOW}"`);
  expect(page).toContain(`<input type="hidden" name="note_id" value="${noteId}"/>`);
  expect(page).not.toContain("A person will look at it.");
  const fields = { note_id: noteId, reason: "fake", text: "" };
  const sent = await sendForm(fields, { Origin: site.origin, "Sec-Fetch-Site": "same-origin" });
  expect(sent).toBe(`/?show=${SHOW}&report=sent`);
  expect(await (await fetch(site.origin + sent)).text()).toContain("Thank you. A person will look at it.");
  expect(await queue()).toEqual([{ rule: "fake", anonymous: 1, hidden: false, reasons: 1 }]);
  expect(await sendForm({ note_id: noteId })).toBe(`/?show=${SHOW}&report=invalid`);
  expect(await sendForm({ ...fields, note_id: crypto.randomUUID() })).toBe(`/?show=${SHOW}&report=gone`);
  for (const [name, value] of [
    ["Sec-Fetch-Site", "cross-site"],
    ["Origin", "https://elsewhere.example"],
  ] as const)
    expect(await sendForm(fields, { [name]: value })).toBe(`/?show=${SHOW}&report=failed`);
  const odd = await (await fetch(`${site.origin}/?show=${SHOW}&report=%3Cb%3E`)).text();
  expect(odd).not.toContain("<b>");
  expect(await queue()).toHaveLength(1);
});
