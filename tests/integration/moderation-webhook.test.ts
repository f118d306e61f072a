import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { closeAtOnce, listenOnLoopback } from "../../dev/loopback-server.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { ReportReason } from "../../src/domain/report.ts";
import { startJobs } from "../../src/jobs/job-queue.server.ts";
import { notificationTasks } from "../../src/moderation/messages/notifications.server.ts";
import { signIn } from "../support/accounts.ts";
import {
  ago,
  givenChanged,
  givenEarlier,
  givenNone,
  givenReportedNote,
  givenReview,
  givenReviews,
  givenShows,
  givenUser,
  givenUsers,
} from "../support/given.ts";
import { givenNoJobs, makeJobsDue, pendingJobs, waitingJob } from "../support/job-queue.ts";
import { readMetrics } from "../support/metrics.ts";
import { openPage } from "../support/plain-page.ts";
import { recordingLog } from "../support/refreshes.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";
import { storedRows } from "../support/stored.ts";

const NOTES = "My name is <Wren> & I [sat](https://evil.example) in row three";

/** A database with two instances of the site, and one without. */
const [database, quiet] = [await setUpDatabase(), await setUpDatabase()];
const shows = Array.from({ length: 200 }, (_, index) => ({ title: `Moth Hour ${index + 1}` }));
for (const { db } of [database, quiet]) await givenShows(db, shows);
const receiver = await startWebhookReceiver();
afterAll(receiver.close);
const settings = { MODERATION_WEBHOOK_URL: receiver.url, LOG_LEVEL: "debug" };
const accountsSite = await setUpAccountsSite(database, settings);
const { site } = accountsSite;
const otherSite = await startSite(accountsSite.variables);
afterAll(() => otherSite.stop());
const wren = await signIn(site.origin, "google", { email: "wren@people.example" });
await givenUser(quiet.db, { id: wren.user.id });
afterEach(async () => {
  receiver.answers.length = 0;
  for (const { db } of [database, quiet]) {
    await givenNone(db, "reports", "reviews", "announced_bursts");
    await givenNoJobs(db);
  }
  receiver.messages.length = 0;
});

const wait = { timeout: 30_000, interval: 20 };
const { log, lines } = recordingLog();
const webhook = { url: receiver.url, hasText: false, format: "all" } as const;
const withText = { ...webhook, hasText: true };
const never = new AbortController().signal;

/** A reported note by Wren. Returns the report's id. */
const report = (show_id = "show-1", notes = NOTES, rule: ReportReason = "personal_data") =>
  givenReportedNote(quiet.db, { show_id, author_id: wren.user.id, notes, rule });

/** A notification task, by default that of reports. Its links lead nowhere. */
function createTask(
  options: Partial<Parameters<typeof notificationTasks>[0]> = {},
  name = "notify-operator",
) {
  const tasks = notificationTasks({
    webhook,
    linkTo: async (id) => `https://site.example/report-${id}`,
    countMessage: () => {},
    log,
    ...options,
  });
  const task = tasks.find((each) => each.name === name) ?? expect.fail();
  return () => task.run({ db: quiet.db, payload: {}, signal: never });
}

const texts = () => receiver.messages.map(({ message = "" }) => message);

/** Reports notes as a visitor does. */
async function reportAsVisitor(show = "show-1"): Promise<void> {
  // Instances remember which texts a network has reported.
  const notes = `${NOTES}, ${crypto.randomUUID()}`;
  const note_id = await givenReview(database.db, { show_id: show, user_id: wren.user.id, notes });
  const reported = await fetch(`${otherSite.origin}/api/reports`, {
    method: "POST",
    headers: { apikey: "front-row-public", "Content-Type": "application/json" },
    body: JSON.stringify({ note_id, reason: "personal_data", text: "It has <b>a name</b>" }),
  });
  expect(reported.status).toBe(201);
}

const untilSent = (count: number) => vi.waitUntil(() => receiver.messages.length >= count, wait);

/** The job that waits for the next message, and in how many seconds it runs. */
const readJob = ({ db }: Database) => waitingJob(db, "notify-operator");

/** Waits until the message is recorded and the next one is scheduled. */
const untilSpaced = () => vi.waitUntil(async () => (await readJob(database))?.attempts === 0, wait);

test("the operator gets one link to a report at once, and those of the next minute in one message", async () => {
  await reportAsVisitor();
  await untilSent(1);
  expect(texts()).toEqual([
    expect.stringMatching(
      /^Front Row: hide or keep a note, within 48 hours: http:\/\/127\.0\.0\.1:\d+\/api\/moderation\/\S+\nA note was reported, at “Moth Hour 1”: off topic\.$/,
    ),
  ]);
  await untilSpaced();
  const link = new URL(/http\S+/.exec(texts()[0] ?? "")?.[0] ?? "");
  const send = (path: string, body?: URLSearchParams) =>
    fetch(otherSite.origin + path, body && { method: "POST", body });
  const page = await openPage(send, link.pathname, send);
  expect(page.texts("blockquote")[0]).toContain("My name is <Wren> & I");
  const [reported] = await storedRows(database.db, "reports", ["id"]);
  const hidden = await page.press(`Hide the note of report ${reported?.id}, Moth Hour 1`);
  expect(hidden.texts("[role=status]").join()).toContain("The note is hidden");
  await reportAsVisitor("show-2");
  await reportAsVisitor("show-3");
  const { wait: seconds } = (await readJob(database)) ?? expect.fail();
  expect(seconds).toBeGreaterThan(30);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(receiver.messages).toHaveLength(1);
  await makeJobsDue(database.db);
  await untilSent(2);
  const [, both = ""] = texts();
  expect(both.match(/\/api\/moderation\/\S+\n.* at “Moth Hour [23]”/g)).toHaveLength(2);
  await untilSpaced();
  await makeJobsDue(database.db);
  await vi.waitUntil(async () => (await pendingJobs(database.db)).length === 0, wait);
  expect(receiver.messages).toHaveLength(2);
  expect(JSON.stringify(receiver.messages)).not.toMatch(
    new RegExp(`row three|${wren.user.id}|people.example`),
  );
  const logs = [...site.log, ...otherSite.log].join("\n");
  expect(logs).not.toMatch(new RegExp(`${link.pathname.slice(-40)}|hook/secret`));
});

test("reports during the sending of a message, or after its refusal, come once with the next one", async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<() => void>();
  receiver.answers.push((response) => reach(() => response.writeHead(500).end()));
  await reportAsVisitor();
  const refuse = await reached;
  await reportAsVisitor("show-2");
  expect((await readJob(database))?.wait).toBeGreaterThan(30);
  refuse();
  receiver.answers.push((response) => response.writeHead(500).end());
  await makeJobsDue(database.db);
  await untilSent(2);
  await vi.waitUntil(async () => (await readJob(database))?.attempts === 1, wait);
  await reportAsVisitor("show-3");
  expect((await readJob(database))?.wait).toBeGreaterThan(30);
  await makeJobsDue(database.db);
  await untilSent(3);
  await untilSpaced();
  expect(texts()[2]?.match(/Moth Hour \d/g)).toEqual(["Moth Hour 1", "Moth Hour 2", "Moth Hour 3"]);
  const failed = 'front_row_moderation_messages_total{outcome="failed"}';
  const metrics = await Promise.all([site, otherSite].map(({ origin }) => readMetrics(origin)));
  expect(metrics.reduce((sum, samples) => sum + (samples.get(failed) ?? 0), 0)).toBe(2);
});

test("a receiver that hangs, redirects or is unavailable is tried again later, and logged", async () => {
  await report();
  const tell = createTask();
  const logged = lines.length;
  receiver.answers.push(
    () => {},
    (response) => response.writeHead(302, { Location: receiver.url }).end(),
  );
  await expect(tell()).rejects.toThrow("timeout");
  await expect(tell()).rejects.toThrow("302");
  await tell();
  expect(receiver.messages).toHaveLength(3);
  const unavailable = { ...webhook, url: "http://127.0.0.1:9/hook/secret" };
  await report("show-2");
  await expect(createTask({ webhook: unavailable })()).rejects.toThrow("fetch failed");
  const written = lines.slice(logged).map(({ msg }) => msg);
  expect(written).toEqual(Array(3).fill("The moderation webhook was not reached; it is tried again"));
  expect(JSON.stringify(lines.slice(logged))).not.toContain("secret");
}, 30_000);

test("a message is tried with growing waits, at last every six hours, and each attempt is logged", async () => {
  const counted: string[] = [];
  const linkTo = async (id: string) => `https://site.example/secret-${id}`;
  const countMessage = (outcome: string) => void counted.push(outcome);
  const logged = lines.length;
  receiver.answers.push(...Array(4).fill((response: ServerResponse) => response.writeHead(403).end()));
  await report();
  const tasks = notificationTasks({ webhook, linkTo, countMessage, log });
  const queue = startJobs({ url: quiet.url, tasks, log });
  onTestFinished(queue.stop);
  const untilTried = (attempts: number) =>
    vi.waitUntil(async () => {
      const job = await readJob(quiet);
      return job?.attempts === attempts && job;
    }, wait);
  await untilTried(1);
  for (const [earlier, hours] of [
    [7, 0.83],
    [9, 6.12],
    [5_000, 6.12],
  ] as const) {
    await sql`update graphile_worker._private_jobs set attempts = ${earlier}`.execute(quiet.db);
    await makeJobsDue(quiet.db);
    const { wait: seconds } = await untilTried(earlier + 1);
    expect(Math.abs(seconds / 3_600 - hours)).toBeLessThan(0.05);
  }
  expect(JSON.stringify(await pendingJobs(quiet.db))).not.toMatch(/secret|site\.example/);
  await makeJobsDue(quiet.db);
  await vi.waitUntil(() => counted.length === 5, wait);
  expect(counted).toEqual([...Array(4).fill("failed"), "accepted"]);
  const reasons = lines.slice(logged).flatMap(({ reason }) => reason ?? []);
  expect(reasons).toEqual(Array(4).fill("it was answered with 403"));
});

test("a decided report causes no message", async () => {
  await givenChanged(quiet.db, "reports", { decided_at: new Date() }, { id: await report() });
  await createTask()();
  expect(receiver.messages).toEqual([]);
});

test("the note is in the message only if the setting says so, and mentions no user", async () => {
  await report();
  await createTask({ webhook: withText })();
  const [message] = receiver.messages;
  expect(message?.message).toContain(
    "Note: “My name is <Wren> & I [sat](https[:]//evil[.]example) in row three”",
  );
  expect(message?.text).toContain("My name is &lt;Wren&gt; &amp; I [sat](https[:]//evil[.]example)");
  expect(message?.content).toContain("\\<Wren\\> & I \\[sat\\](https\\[:\\]//evil\\[.\\]example)");
  expect(message?.allowed_mentions).toEqual({ parse: [] });
  await report("show-2", "*_".repeat(500));
  await createTask({ webhook: withText })();
  const { content = "" } = receiver.messages[1] ?? {};
  expect(content.length).toBeLessThan(2_000);
  await report("show-3");
  await createTask({ webhook: { ...withText, format: "text" } })();
  expect(receiver.messages[2]).toEqual({ text: expect.stringContaining("Note: “My name is &lt;Wren&gt;") });
  expect(content).toMatch(/report-\d+\n.*\n.*(\\\*\\_){149}\\\*…”$/);
});

test("a stranger's text is one line without an address, after the site's own link", async () => {
  const notes =
    "Kept.\n\nFront Row: hide or keep:\thttp://10.0.0.7/x\u2028www.Moths.co.uk or wren@moths。example, at 7.30, पतंगे.भारत, moths.8x8";
  const id = await report("show-3", notes);
  const objection = "See\nHTTPS://moths.example/a.b?c=d";
  await givenChanged(quiet.db, "reports", { objection, objected_at: new Date() });
  await createTask({ webhook: withText })();
  expect(texts()).toEqual([
    [
      `Front Row: hide or keep a note, within 48 hours: https://site.example/report-${id}`,
      "The author of a note that was reported objects, at “Moth Hour 3”.",
      "Note: “Kept. Front Row: hide or keep: http[:]//10[.]0[.]0.7/x www[.]Moths[.]co[.]uk or wren@moths[。]example, at 7.30, पतंगे[.]भारत, moths[.]8x8”",
      "Objection: “See HTTPS[:]//moths[.]example/a.b?c=d”",
    ].join("\n"),
  ]);
});

test("the operator is notified once of an objection and of a changed note, too", async () => {
  const id = await report();
  const tell = createTask();
  await tell();
  const objection = { objection: "It is my own name", objected_at: new Date() };
  await givenChanged(quiet.db, "reports", objection, { id });
  for (let times = 0; times < 2; times++) await tell();
  await givenChanged(quiet.db, "reviews", { hidden_rule: "fake" });
  await givenChanged(quiet.db, "reviews", { notes: "A name." });
  for (let times = 0; times < 2; times++) await tell();
  expect(texts().slice(1)).toEqual([
    expect.stringContaining("The author of a note that was reported objects, at “Moth Hour 1”."),
    expect.stringContaining("The author of a hidden note has changed it, at “Moth Hour 1”."),
  ]);
});

test.each([
  { hasText: true, notes: "*".repeat(300), linked: ["4", "9"] },
  { hasText: false, notes: "Moths.", linked: ["4", "9", "14", "19", "3"] },
])(
  "of many reports the five gravest have a link each, or as many as fit with text: $hasText",
  async ({ hasText, notes, linked }) => {
    const rules = ["fake", "off_topic", "abusive", "illegal", "personal_data"] as const;
    for (let show = 2; show <= 20; show++) await report(`show-${show}`, notes, rules[show % 5]);
    const tell = createTask({ webhook: { ...webhook, hasText } });
    for (let times = 0; times < 2; times++) await tell();
    const [{ content = "", message = "" } = {}, ...others] = receiver.messages;
    expect(others).toEqual([]);
    expect(content.length).toBeLessThanOrEqual(2_000);
    const shows = message.matchAll(/report-\d+\n.* at “Moth Hour (\d+)”/g);
    expect(Array.from(shows, ([, show]) => show)).toEqual(linked);
    const more = `\n\nFront Row: ${19 - linked.length} more in the queue, reported or objected to: npm run admin -- queue-link <name>`;
    expect(message.endsWith(more)).toBe(true);
  },
);

test("the operator is notified of new bursts at most once an hour, without addresses", async () => {
  const people = await givenUsers(quiet.db, 12);
  const addReviews = (show_id: string, of = {}) =>
    givenReviews(
      quiet.db,
      people.map((user_id) => ({ user_id, show_id, ...of })),
    );
  const look = createTask({}, "look-for-bursts");
  const passHour = () => givenEarlier(quiet.db, "announced_bursts", ["at"], { minutes: 61 });
  await addReviews("show-2", { created_at: ago({ hours: 3 }) });
  await look();
  expect(texts()).toEqual([]);
  await addReviews("show-1", { created_at: ago({ minutes: 70 }) });
  await look();
  await addReviews("show-3");
  await look();
  const message = (show: string) =>
    `Front Row: 12 young or once-only accounts reviewed one show within a short time, “Moth Hour ${show}”: npm run admin -- bursts`;
  expect(texts()).toEqual([message("1")]);
  await passHour();
  await look();
  expect(texts()).toEqual([message("1"), message("3")]);
  await look();
  await addReviews("show-4");
  await addReviews("show-5");
  await passHour();
  await look();
  expect(texts()[2]).toMatch(/“Moth Hour \d”, and at [12] more of the shows: /);
});

const message = z.strictObject({
  text: z.string(),
  content: z.string().optional(),
  message: z.string().optional(),
  allowed_mentions: z.strictObject({ parse: z.array(z.string()) }).optional(),
});

/** A real HTTP receiver of webhook messages on loopback. */
async function startWebhookReceiver() {
  /** All messages that were sent, accepted or not. */
  const messages: z.infer<typeof message>[] = [];
  /** Responses to the next requests, in order; then 200. */
  const answers: ((response: ServerResponse) => void)[] = [];
  const server = createServer(async (request, response) => {
    messages.push(message.parse(JSON.parse(await text(request))));
    const answer = answers.shift() ?? ((accepted) => void accepted.end("ok"));
    answer(response);
  });
  const url = `${await listenOnLoopback(server, 0)}/hook/secret`;
  return { url, messages, answers, close: () => closeAtOnce(server) };
}
