import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { WebhookConfig } from "../../config/environment.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { ReportReason } from "../../domain/report.ts";
import { addJob, type Task } from "../../jobs/job-queue.server.ts";
import { messageOf } from "../../lib/error-message.ts";
import { wordsOf } from "../api/moderation-pages.server.ts";
import { postMessage, type Quote, type WriteMessage } from "./webhook.server.ts";

/** Of more reports at once, the message says only how many there are. */
const MAX_LINKS = 5;

/** The longest message about several reports, in characters: Discord takes no longer one. */
const MAX_LENGTH = 2_000;

/** The longest quotes in a message, in characters. */
const MAX_QUOTED = { title: 100, notes: 300, objection: 200 };

/** A burst: more reviews in `BURST_MINUTES` than this number, and than this multiple of last week's mean. */
const BURST_FLOOR = 100;
const BURST_FACTOR = 5;
const BURST_MINUTES = 15;
const WEEK_MINUTES = 7 * 24 * 60;

/** With the queue's waits, which grow to 6 hours, about three days; then it is tried once a day. */
const ATTEMPTS = 21;

/** Seconds between two messages: what comes within them is one message. */
const SPACING = 60;

/** How often it is logged that the webhook does not work, in ms. */
const LOG_INTERVAL = 24 * 3_600_000;

const NAME = "tell-operator";

interface AnnouncerOptions {
  webhook: WebhookConfig;
  linkTo: (reportId: string) => Promise<string>;
  countMessage: (outcome: "accepted" | "failed") => void;
  log: Logger;
  /** In ms, from any start. */
  now?: () => number;
}

type Send = (write: WriteMessage) => Promise<void>;

/** Belongs at the end of the transaction that stores a report or objection. Without a webhook the job waits. */
export function announce(db: Kysely<Schema>): Promise<void> {
  return addJob(db, NAME, { maxAttempts: ATTEMPTS, spacing: SPACING });
}

/** They notify the operator of reports, objections and bursts of reviews (docs/product.md §13.21). */
export function announcementTasks(options: AnnouncerOptions): Task[] {
  const send = createSend(options);
  return [
    {
      name: NAME,
      onStart: announce,
      async run({ db, signal }) {
        if (await announceReports(db, options, (write) => send(write, signal))) await announce(db);
      },
    },
    {
      name: "remind-operator",
      pattern: "0 6 * * *",
      run: ({ db }) => addJob(db, NAME, { maxAttempts: 1, unlessWaiting: true }),
    },
    {
      name: "look-for-bursts",
      pattern: "*/5 * * * *",
      // A failure is logged, and the next look comes soon.
      run: ({ db, signal }) => announceBurst(db, (write) => send(write, signal)).catch(() => {}),
    },
  ];
}

function createSend({ webhook, countMessage, log, now = () => performance.now() }: AnnouncerOptions) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async function send(write: WriteMessage, stop: AbortSignal): Promise<void> {
    try {
      await postMessage(webhook, write, stop);
      countMessage("accepted");
      loggedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (stop.aborted) throw error;
      countMessage("failed");
      if (now() >= loggedAt + LOG_INTERVAL) {
        loggedAt = now();
        // Without the webhook's URL, which `fetch` does not put into its errors.
        const reason = messageOf(error instanceof TypeError && error.cause ? error.cause : error);
        log.warn({ reason }, "The moderation webhook was not reached; it is tried again");
      }
      throw error;
    }
  };
}

interface Unannounced {
  id: string;
  kind: "report" | "objection";
  rule: ReportReason;
  objection: string | null;
  title: string;
  notes: string | null;
}

/** Returns whether there was something to tell. */
async function announceReports(
  db: Kysely<Schema>,
  { webhook, linkTo }: AnnouncerOptions,
  send: Send,
): Promise<boolean> {
  const reports = await findUnannounced(db);
  if (reports.length === 0) return false;
  const described = reports.length > MAX_LINKS ? [] : reports;
  const linked = await Promise.all(described.map(async (each) => ({ ...each, link: await linkTo(each.id) })));
  await send((quote) => {
    const texts = linked.map((report) => describeReport(report, webhook.hasText, quote));
    return writeMessage(texts, reports.length);
  });
  // Only what the message had: an objection that came meanwhile is in the next one.
  await sql`
    update reports set announced = told.kind
    from unnest(${reports.map(({ id }) => id)}::bigint[], ${reports.map(({ kind }) => kind)}::text[]) as told (id, kind)
    where reports.id = told.id`.execute(db);
  return true;
}

/** Of these texts as many as fit; the others are counted. */
function writeMessage(texts: readonly string[], count: number): string {
  if (texts.length === 0)
    return `Front Row: ${count} notes were reported or objected to. They are in the queue: npm run admin -- decide`;
  const more = count - texts.length;
  const rest = more > 0 ? [`${more} more are in the queue: npm run admin -- decide`] : [];
  const message = [...texts, ...rest].join("\n\n");
  return texts.length > 1 && message.length > MAX_LENGTH ? writeMessage(texts.slice(0, -1), count) : message;
}

async function findUnannounced(db: Kysely<Schema>): Promise<Unannounced[]> {
  const { rows } = await sql<Unannounced>`
    select reports.id, case when objection is null then 'report' else 'objection' end as kind, rule, objection,
      title, left(notes, ${MAX_QUOTED.notes + 1}) as notes
    from reports
    join shows on shows.id = reports.show_id
    left join reviews on reviews.show_id = reports.show_id and user_id = author_id
    where decided_at is null and (announced is null or announced = 'report' and objection is not null)
    order by reports.id`.execute(db);
  return rows;
}

function describeReport(report: Unannounced & { link: string }, hasText: boolean, quote: Quote): string {
  const quoted = (name: keyof typeof MAX_QUOTED) => quote(shorten(report[name] ?? "", MAX_QUOTED[name]));
  const title = quoted("title");
  return [
    report.kind === "objection"
      ? `Front Row: the author of a note that was reported objects, at “${title}”.`
      : `Front Row: a note was reported, at “${title}”: ${wordsOf(report.rule)}.`,
    ...(hasText && report.notes ? [`Note: “${quoted("notes")}”`] : []),
    ...(hasText && report.objection ? [`Objection: “${quoted("objection")}”`] : []),
    `Hide or keep it, within 48 hours: ${report.link}`,
  ].join("\n");
}

function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}

/** Tells of a burst of reviews, at most once an hour. */
async function announceBurst(db: Kysely<Schema>, send: Send): Promise<void> {
  const since = (minutes: number) => sql`created_at > now() - make_interval(mins => ${minutes})`;
  const { rows } = await sql<{ lately: number; before: number }>`
    select lately,
      (select count(*)::integer from reviews where ${since(WEEK_MINUTES)} and not ${since(BURST_MINUTES)}) as before
    from (select count(*)::integer as lately from reviews where ${since(BURST_MINUTES)}) as burst
    where lately > ${BURST_FLOOR}
      and not exists (select from announced_bursts where at > now() - interval '1 hour')`.execute(db);
  const { lately = 0, before = 0 } = rows[0] ?? {};
  const usual = Math.round(before / (WEEK_MINUTES / BURST_MINUTES - 1));
  if (lately <= BURST_FACTOR * usual) return;
  const message = `Front Row: ${lately} reviews were written within ${BURST_MINUTES} minutes; usual are ${usual}.`;
  await send(() => message);
  await sql`
    with old as (delete from announced_bursts) insert into announced_bursts default values`.execute(db);
}
