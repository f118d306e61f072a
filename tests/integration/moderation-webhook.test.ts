import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { createAnnouncer } from "../../src/reviews/moderation/announcements.server.ts";
import { type AccountsSite, type SessionResponse, signIn, startAccountsSite } from "../support/accounts.ts";
import { makeJobsDue } from "../support/job-queue.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { recordingLog } from "../support/refreshes.ts";
import { recordRecentRefresh, type Site, startSite } from "../support/site.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const HOUR = 3_600_000;
const NOTES = "My name is <Wren> & I [sat](https://evil.example) in row three";

let database: Database;
/** Another one, without instances. */
let quiet: Database;
let receiver: WebhookReceiver;
let accountsSite: AccountsSite;
/** Two instances, of which the second one's clock can be set. */
let site: Site;
let otherSite: Site;
let folder: string;
let wren: SessionResponse;

beforeAll(async () => {
  [database, quiet] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await recordRecentRefresh(database.db);
  for (const { db } of [database, quiet])
    await sql`insert into shows (id, title, year, status)
      select 'show-' || n, 'Moth Hour ' || n, 2025, 'active' from generate_series(1, 200) n`.execute(db);
  receiver = await startWebhookReceiver();
  folder = await mkdtemp(path.join(tmpdir(), "front-row-clock-"));
  await setClock(0);
  const webhook = { MODERATION_WEBHOOK_URL: receiver.url, LOG_LEVEL: "debug" };
  accountsSite = await startAccountsSite(database.url, webhook);
  ({ site } = accountsSite);
  otherSite = await startSite({
    ...accountsSite.variables,
    ...webhook,
    DATABASE_URL: database.url,
    NODE_OPTIONS: `--import=${new URL("../support/fake-clock.ts", import.meta.url).href}`,
    CLOCK_FILE: path.join(folder, "clock"),
  });
  wren = await signIn(site.origin, "google", { email: "wren@people.example" });
  await sql`insert into users (id, email) values (${wren.user.id}, 'wren@people.example')`.execute(quiet.db);
});
afterEach(async () => {
  receiver.answers.length = 0;
  for (const { db } of [database, quiet])
    await sql`truncate reports, reviews, used_moderation_links, announced_bursts cascade`.execute(db);
  receiver.messages.length = 0;
});
afterAll(async () => {
  await otherSite.stop();
  await accountsSite.close();
  await receiver.close();
  await rm(folder, { recursive: true });
  await quiet.close();
  await database.close();
});

/** Sets the second instance's clock `ahead` ms forward. */
const setClock = (ahead: number) => writeFile(path.join(folder, "clock"), String(ahead));

const wait = { timeout: 30_000, interval: 20 };
const { log, lines } = recordingLog();
const never = new AbortController().signal;

/** Writes a review of Wren's. */
async function write({ db }: Database, show = "show-1", notes = NOTES): Promise<void> {
  await sql`insert into reviews (show_id, user_id, audience_interaction, notes)
    values (${show}, ${wren.user.id}, 'yes', ${notes})`.execute(db);
}

/** Writes and reports a review. Returns the report's id. */
async function report(database: Database, show = "show-1", notes = NOTES): Promise<string> {
  await write(database, show, notes);
  const { rows } = await sql<{ id: string }>`
    insert into reports (show_id, author_id, note_id, rule)
    select show_id, user_id, note_id, 'personal_data' from reviews where show_id = ${show} returning id`.execute(
    database.db,
  );
  return rows[0]?.id ?? "";
}

/** A clock that each reading moves on by more than any wait between two tries. */
let later = 0;
const now = () => (later += 4 * 3_600_000);

/** An announcer of this process, as an instance has it, with links that lead nowhere. */
function createTestAnnouncer(options: Partial<Parameters<typeof createAnnouncer>[0]> = {}) {
  const announce = createAnnouncer({
    webhook: { url: receiver.url, hasText: false, format: "all" },
    linkTo: async (id) => `https://site.example/report-${id}`,
    countMessage: () => {},
    log,
    now,
    ...options,
  });
  return () => announce(quiet.db, never);
}

const texts = () => receiver.messages.map(({ message = "" }) => message);

/** Reports notes as a visitor does, and returns the address that the instances send for them. */
async function reportAndReadLink(): Promise<string> {
  await write(database);
  const { rows } = await sql<{ note_id: string }>`select note_id from reviews`.execute(database.db);
  const reported = await fetch(`${otherSite.origin}/api/reports`, {
    method: "POST",
    headers: { apikey: "front-row-public", "Content-Type": "application/json" },
    body: JSON.stringify({ ...rows[0], reason: "personal_data", text: "It has <b>a name</b>" }),
  });
  expect(reported.status).toBe(201);
  await vi.waitUntil(() => receiver.messages.length > 0 || triggerJobs(), wait);
  return /http\S+$/.exec(texts()[0] ?? "")?.[0] ?? "";
}

/** What happens once a minute happens now. Resolves with false, for use in a polled condition. */
async function triggerJobs(): Promise<false> {
  const { rows } = await sql<{
    ready: boolean;
  }>`select to_regclass('graphile_worker._private_known_crontabs') is not null as ready`.execute(database.db);
  if (!rows[0]?.ready) return false;
  await sql`select graphile_worker.add_job('announce-reports', job_key => 'announce-reports')`.execute(
    database.db,
  );
  return makeJobsDue(database.db);
}

const publicNotes = async ({ origin }: Site) =>
  (await fetch(`${origin}/api/reviews?show_id=show-1`, { headers: { apikey: "front-row-public" } })).text();

/** What the page's form sends, with the headers of a browser. */
async function decide(link: string, action: string, headers = {}): Promise<Response> {
  const note = /name="note" value="(.*?)"/.exec(await (await fetch(link)).text())?.[1] ?? "";
  return fetch(link, {
    method: "POST",
    redirect: "manual",
    headers: { "Sec-Fetch-Site": "same-origin", Origin: "null", ...headers },
    body: new URLSearchParams({ action, note }),
  });
}

const storedNotes = async () =>
  (await sql`select hidden_rule from reviews where show_id = 'show-1'`.execute(database.db)).rows[0];

test("two instances tell a report once, also when the receiver fails twice", async () => {
  const fail = (response: { writeHead(status: number): { end(): void } }) => response.writeHead(500).end();
  receiver.answers.push(fail, fail);
  await report(database);
  await vi.waitUntil(() => receiver.messages.length >= 3 || triggerJobs(), wait);
  const metrics = await Promise.all(
    [site, otherSite].map(async ({ origin }) => (await fetch(`${origin}/metrics`)).text()),
  );
  const failed = metrics.map(
    (text) => /^front_row_moderation_messages_total{outcome="failed"} (\d)$/m.exec(text)?.[1],
  );
  expect(Number(failed[0]) + Number(failed[1])).toBe(2);
  const { rows } = await vi.waitUntil(async () => {
    const told = await sql`select from reports where announced = 'report'`.execute(database.db);
    return told.rows.length > 0 ? told : null;
  }, wait);
  expect(rows).toHaveLength(1);
  const sent = receiver.messages.length;
  for (let run = 0; run < 5; run++) await triggerJobs();
  expect(receiver.messages).toHaveLength(sent);
  const [message = ""] = texts();
  expect(message).toMatch(
    /^Front Row: a note was reported, at “Moth Hour 1”: personal data\.\nHide or keep it, within 48 hours: http:\/\/127\.0\.0\.1:\d+\/api\/moderation\/\S+$/,
  );
  expect(JSON.stringify(receiver.messages)).not.toMatch(
    new RegExp(`row three|${wren.user.id}|people.example`),
  );
});

test("two instances that run at the same time tell a report once", async () => {
  await report(quiet);
  receiver.answers.push((response) => void setTimeout(() => response.end(), 100));
  await Promise.all([createTestAnnouncer()(), createTestAnnouncer()(), createTestAnnouncer()()]);
  expect(receiver.messages).toHaveLength(1);
});

test("a receiver that hangs, redirects or is away is tried again later, and logged once", async () => {
  await report(quiet);
  let time = 0;
  const announce = createTestAnnouncer({ now: () => time });
  const logged = lines.length;
  receiver.answers.push(
    () => {},
    (response) => response.writeHead(302, { Location: receiver.url }).end(),
  );
  const began = performance.now();
  await expect(announce()).rejects.toThrow("timeout");
  expect(performance.now() - began).toBeGreaterThan(9_000);
  time += HOUR;
  await expect(announce()).rejects.toThrow("302");
  expect(receiver.messages).toHaveLength(2);
  time += HOUR;
  await announce();
  expect(receiver.messages).toHaveLength(3);
  const webhook = { url: "http://127.0.0.1:9/hook/secret", hasText: false, format: "all" } as const;
  await report(quiet, "show-2");
  await expect(createTestAnnouncer({ webhook })()).rejects.toThrow("fetch failed");
  const written = lines.slice(logged).map(({ msg }) => msg);
  expect(written).toEqual(Array(2).fill("The moderation webhook was not reached; it is tried again"));
  expect(JSON.stringify(lines.slice(logged))).not.toContain("secret");
}, 30_000);

test("a receiver that refuses for days is tried with growing waits, counted, and logged each day", async () => {
  await report(quiet);
  let minute = 0;
  const counted: string[] = [];
  const countMessage = (outcome: string) => void counted.push(outcome);
  const announce = createTestAnnouncer({ countMessage, now: () => minute * 60_000 });
  const logged = lines.length;
  const tries: number[] = [];
  for (; minute < 5 * 24 * 60; minute++) {
    receiver.answers.push((response) => response.writeHead(403).end());
    await announce().catch(() => void tries.push(minute));
  }
  const waits = tries.slice(1).map((time, index) => time - (tries[index] ?? 0));
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect([waits[0], waits.at(-1)]).toEqual([1, 368]);
  expect(tries.length).toBeLessThan(30);
  expect(counted).toEqual(tries.map(() => "failed"));
  expect(lines.slice(logged).map(({ reason }) => reason)).toEqual(Array(5).fill("it was answered with 403"));
  // Accepted at last, and as new as ever for the next failure.
  receiver.answers.length = 0;
  minute += 400;
  await announce();
  expect(counted.at(-1)).toBe("accepted");
  await report(quiet, "show-2");
  receiver.answers.push((response) => response.writeHead(403).end());
  await expect(announce()).rejects.toThrow("403");
  minute += 1;
  await announce();
  expect(counted.slice(-2)).toEqual(["failed", "accepted"]);
  expect(lines.slice(logged)).toHaveLength(6);
});

test("with the format text a message is that alone", async () => {
  await report(quiet);
  await createTestAnnouncer({ webhook: { url: receiver.url, hasText: true, format: "text" } })();
  expect(receiver.messages).toEqual([{ text: expect.stringContaining("Note: “My name is &lt;Wren&gt;") }]);
});

test("the notes are in the message only where the setting says so, and call nobody", async () => {
  const withText = () => ({ url: receiver.url, hasText: true, format: "all" }) as const;
  await report(quiet);
  await createTestAnnouncer({ webhook: withText() })();
  const [message] = receiver.messages;
  expect(message?.message).toContain(`Note: “${NOTES}”`);
  expect(message?.text).toContain("My name is &lt;Wren&gt; &amp; I [sat](https://evil.example)");
  expect(message?.content).toContain("My name is \\<Wren\\> & I \\[sat\\](https://evil.example)");
  expect(message?.allowed_mentions).toEqual({ parse: [] });
  await report(quiet, "show-2", "*_".repeat(500));
  await createTestAnnouncer({ webhook: withText() })();
  const { content = "" } = receiver.messages[1] ?? {};
  expect(content.length).toBeLessThan(2_000);
  expect(content).toMatch(/(\\\*\\_){149}\\\*…”\n.*\/report-\d+$/);
});

test("an objection is told once as well, and many reports in one message", async () => {
  const id = await report(quiet);
  const announce = createTestAnnouncer();
  await announce();
  await sql`update reports set objection = 'It is my own name', objected_at = now() where id = ${id}`.execute(
    quiet.db,
  );
  await announce();
  await announce();
  expect(texts().slice(1)).toEqual([
    expect.stringContaining("the author of a note that was reported objects, at “Moth Hour 1”"),
  ]);
  for (let show = 2; show <= 20; show++) await report(quiet, `show-${show}`);
  await announce();
  await announce();
  expect(texts().slice(2)).toEqual([expect.stringContaining("19 notes were reported")]);
});

test("a burst of reviews is told at most once an hour, unless as many are usual", async () => {
  await sql`with people as (
      insert into users (email) select 'p' || n || '@people.example' from generate_series(1, 101) n returning id)
    insert into reviews (show_id, user_id, audience_interaction) select 'show-1', id, 'yes' from people`.execute(
    quiet.db,
  );
  const announce = createTestAnnouncer();
  await announce();
  await announce();
  expect(texts()).toEqual(["Front Row: 101 reviews were written within 15 minutes; usual are 0."]);
  const hoursLater = sql`update announced_bursts set at = now() - interval '61 minutes'`;
  await hoursLater.execute(quiet.db);
  await announce();
  expect(texts()).toHaveLength(2);
  await hoursLater.execute(quiet.db);
  await sql`insert into reviews (show_id, user_id, audience_interaction, created_at)
    select 'show-' || n, id, 'yes', now() - interval '1 day' from users, generate_series(2, 150) n`.execute(
    quiet.db,
  );
  await announce();
  expect(texts()).toHaveLength(2);
});

test("the link opens a page that changes nothing, and its button hides the notes on all instances", async () => {
  const link = await reportAndReadLink();
  for (const each of [site, otherSite]) expect(await publicNotes(each)).toContain("row three");
  const page = await fetch(link);
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(html).toContain("My name is &lt;Wren&gt; &amp; I");
  expect(html).toContain("It has &lt;b&gt;a name&lt;/b&gt;");
  expect(html).not.toMatch(new RegExp(`<script|${wren.user.id}|people.example`));
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
    "referrer-policy": "no-referrer",
    "content-security-policy": expect.stringMatching(
      /default-src 'none'; style-src 'sha256-\S+'; .*form-action 'self'/,
    ),
  });
  await fetch(link, { method: "HEAD" });
  expect(await storedNotes()).toEqual({ hidden_rule: null });

  const decided = await decide(link, "hide");
  expect([decided.status, decided.headers.get("location")]).toEqual([303, new URL(link).pathname]);
  const hiddenEverywhere = async () =>
    (await Promise.all([site, otherSite].map(publicNotes))).every((notes) => !notes.includes("row three"));
  await vi.waitUntil(hiddenEverywhere, { timeout: 1_000, interval: 20 });
  expect(await (await fetch(link)).text()).toMatch(
    /Decided on \d{4}-\d\d-\d\d at \d\d:\d\d UTC: the note is hidden\./,
  );
  expect(await storedNotes()).toEqual({ hidden_rule: "personal_data" });
});

test("a link decides once, on whichever instance, and the same press again is shown as done", async () => {
  const link = await reportAndReadLink();
  const onOther = link.replace(site.origin, otherSite.origin);
  const presses = await Promise.all([decide(link, "hide"), decide(onOther, "hide"), decide(link, "hide")]);
  expect(presses.map(({ status }) => status)).toEqual([303, 303, 303]);
  expect((await decide(onOther, "hide")).status).toBe(303);
  expect((await sql`select action from decisions`.execute(database.db)).rows).toEqual([{ action: "hide" }]);
  await sql`update reports set decided_at = null, objection = 'No', objected_at = now()`.execute(database.db);
  const other = await decide(link, "keep");
  expect(other.status).toBe(409);
  expect(await other.text()).toContain("Already decided. Decided on");
  expect(await storedNotes()).toEqual({ hidden_rule: "personal_data" });
});

test("a link says so if another one has decided the same before", async () => {
  const link = await reportAndReadLink();
  await sql`update reports set announced = null`.execute(database.db);
  await vi.waitUntil(() => receiver.messages.length > 1 || triggerJobs(), wait);
  const second = /http\S+$/.exec(texts()[1] ?? "")?.[0] ?? "";
  expect((await decide(second, "keep")).status).toBe(303);
  for (let press = 0; press < 2; press++) expect((await decide(link, "keep")).status).toBe(409);
});

test("nothing is decided on notes that have changed, and the link still works", async () => {
  const link = await reportAndReadLink();
  const seen = await (await fetch(link)).text();
  await sql`update reviews set notes = 'Something else'`.execute(database.db);
  const note = /name="note" value="(.*?)"/.exec(seen)?.[1] ?? "";
  const body = new URLSearchParams({ action: "keep", note });
  const headers = { "Sec-Fetch-Site": "same-origin" };
  expect((await fetch(link, { method: "POST", headers, body, redirect: "manual" })).status).toBe(409);
  expect((await decide(link, "keep")).status).toBe(303);
});

test("a form on another site decides nothing", async () => {
  const link = await reportAndReadLink();
  for (const headers of [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "cross-site", Origin: site.origin },
  ])
    expect((await decide(link, "hide", headers)).status).toBe(403);
  const page = await (await fetch(link)).text();
  const body = new URLSearchParams({ action: "hide", note: /value="(.*?)"/.exec(page)?.[1] ?? "" });
  const old = (Origin: string) => fetch(link, { method: "POST", headers: { Origin }, body });
  expect((await old("https://evil.example")).status).toBe(403);
  expect((await fetch(link, { method: "POST", headers: { "Sec-Fetch-Site": "same-origin" } })).status).toBe(
    400,
  );
  expect(await storedNotes()).toEqual({ hidden_rule: null });
});

test("a link is valid for 48 hours", async () => {
  const link = (await reportAndReadLink()).replace(site.origin, otherSite.origin);
  await setClock(47 * HOUR);
  expect((await fetch(link)).status).toBe(200);
  await setClock(49 * HOUR);
  const expired = [await fetch(link), await decide(link, "hide")];
  await setClock(0);
  expect(expired.map(({ status }) => status)).toEqual([410, 410]);
  expect(await expired[0]?.text()).toContain("This link is too old");
});

test("forged links, and tokens for something else, are refused like any other text", async () => {
  const link = await reportAndReadLink();
  const token = link.slice(link.lastIndexOf("/") + 1);
  const [header = "", payload = "", signature = ""] = token.split(".");
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const forged = [
    [header, encode({ ...claims, sub: "1" }), signature],
    [encode({ alg: "none", typ: "moderation+jwt" }), payload, ""],
    [encode({ alg: "ES256", typ: "moderation+jwt", kid: "unknown" }), payload, signature],
    [header, payload, "A".repeat(86)],
  ].map((parts) => parts.join("."));
  const refusals = await Promise.all(
    [...forged, wren.access_token, "x", "%00", "..%2f"].map(async (text) => {
      const address = `${site.origin}/api/moderation/${text}`;
      const answers = [await fetch(address), await decide(address, "hide")];
      return `${answers.map(({ status }) => status)} ${await answers[0]?.text()}`;
    }),
  );
  expect(new Set(refusals).size).toBe(1);
  expect(refusals[0]).toMatch(/^404,404 [\s\S]*This link is not valid/);
  const asAccessToken = { apikey: "front-row-public", Authorization: `Bearer ${token}` };
  expect((await fetch(`${site.origin}/api/reviews/mine`, { headers: asAccessToken })).status).toBe(401);
  await sql`delete from reports`.execute(database.db);
  expect((await fetch(link)).status).toBe(410);
  expect((await decide(link, "hide")).status).toBe(410);
});

test("no token and no address of the webhook is in logs and metrics, at any level", async () => {
  const link = await reportAndReadLink();
  await fetch(link);
  await fetch(`${link}/more?token=${link}`);
  const seen = [...site.log, ...otherSite.log].join("\n");
  expect(seen).toContain("/api/moderation/…");
  expect(seen).not.toContain(link.slice(-40));
  expect(seen).not.toMatch(/eyJ|hook\/secret/);
  expect(await (await fetch(`${site.origin}/metrics`)).text()).not.toContain("eyJ");
});
