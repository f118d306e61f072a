import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { WebhookConfig } from "../../config/environment.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { ReportReason } from "../../domain/report.ts";
import { addJob, type Task } from "../../jobs/job-queue.server.ts";
import { messageOf } from "../../lib/error-message.ts";
import { wordsOf } from "../api/moderation-pages.server.ts";
import { postMessage, type WriteMessage } from "./webhook.server.ts";

/** Of more reports at once, the message says only how many there are. */
const MAX_LINKS = 5;

/** The longest message about several reports, in characters: Discord takes no longer one. */
const MAX_LENGTH = 2_000;

/** The longest quotes in a message, in characters. */
const MAX_QUOTED = { title: 100, notes: 300, objection: 200 };

/** A burst: more reviews than this within `BURST_MINUTES` … */
const BURST_FLOOR = 100;
/** … and so many times as many as usual in the last week. */
const BURST_FACTOR = 5;
const BURST_MINUTES = 15;
const WEEK_MINUTES = 7 * 24 * 60;

/** With the queue's waits, which grow to 6 hours, it is tried for about three days; then once a day. */
const ATTEMPTS = 21;

/** Seconds between two messages: what comes within them is one message. */
const SPACING = 60;

/** How often it is logged that the webhook does not work, in ms. */
const LOG_INTERVAL = 24 * 3_600_000;

const NAME = "tell-operator";

interface AnnouncerOptions {
  webhook: WebhookConfig;
  /** The address of the page on which a report can be decided. */
  linkTo: (reportId: string) => Promise<string>;
  /** Counts the messages that were sent. */
  countMessage: (outcome: "accepted" | "failed") => void;
  log: Logger;
  /** In ms, from any start. */
  now?: () => number;
}

/** Sends a message. Rejects if it is not accepted. */
type Send = (write: WriteMessage) => Promise<void>;

/**
 * Has the operator told of what is new, at once or a minute after the last message. It belongs at the end of
 * the transaction that stores a report or objection. Without a webhook the job waits until there is one.
 */
export function announce(db: Kysely<Schema>): Promise<void> {
  return addJob(db, NAME, { maxAttempts: ATTEMPTS, spacing: SPACING });
}

/** The tasks that tell the operator's webhook of reports, objections and bursts of reviews (docs/product.md §13.21). */
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
    } catch (error) {
      if (!stop.aborted) recordFailure(error);
      throw error;
    }
    countMessage("accepted");
    loggedAt = Number.NEGATIVE_INFINITY;
  };

  function recordFailure(error: unknown): void {
    countMessage("failed");
    if (now() < loggedAt + LOG_INTERVAL) return;
    loggedAt = now();
    log.warn({ reason: reasonOf(error) }, "The moderation webhook was not reached; it is tried again");
  }
}

interface Unannounced {
  id: string;
  kind: "report" | "objection";
  rule: ReportReason;
  objection: string | null;
  title: string;
  notes: string | null;
}

/** Tells of all that is new in one message. Returns whether there was something to tell. */
async function announceReports(
  db: Kysely<Schema>,
  { webhook, linkTo }: AnnouncerOptions,
  send: Send,
): Promise<boolean> {
  const reports = await findUnannounced(db);
  if (reports.length === 0) return false;
  const describe = async (report: Unannounced) =>
    describeReport(report, await linkTo(report.id), webhook.hasText);
  const writers = reports.length > MAX_LINKS ? [] : await Promise.all(reports.map(describe));
  await send((quote) =>
    writeMessage(
      writers.map((write) => write(quote)),
      reports.length,
    ),
  );
  await markAnnounced(db, reports);
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

/** What was told: an objection that came meanwhile is told next time. */
async function markAnnounced(db: Kysely<Schema>, reports: readonly Unannounced[]): Promise<void> {
  const [ids, kinds] = [reports.map(({ id }) => id), reports.map(({ kind }) => kind)];
  await sql`
    update reports set announced = told.kind
    from unnest(${ids}::bigint[], ${kinds}::text[]) as told (id, kind) where reports.id = told.id`.execute(
    db,
  );
}

function describeReport(report: Unannounced, link: string, hasText: boolean): WriteMessage {
  const { kind, rule } = report;
  const title = shorten(report.title, MAX_QUOTED.title);
  const notes = hasText && report.notes && shorten(report.notes, MAX_QUOTED.notes);
  const objection = hasText && report.objection && shorten(report.objection, MAX_QUOTED.objection);
  return (quote) =>
    [
      kind === "objection"
        ? `Front Row: the author of a note that was reported objects, at “${quote(title)}”.`
        : `Front Row: a note was reported, at “${quote(title)}”: ${wordsOf(rule)}.`,
      ...(notes ? [`Note: “${quote(notes)}”`] : []),
      ...(objection ? [`Objection: “${quote(objection)}”`] : []),
      `Hide or keep it, within 48 hours: ${link}`,
    ].join("\n");
}

function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}

/** At most once an hour. */
async function announceBurst(db: Kysely<Schema>, send: Send): Promise<void> {
  const burst = await findBurst(db);
  if (burst === null) return;
  const { lately, usual } = burst;
  const message = `Front Row: ${lately} reviews were written within ${BURST_MINUTES} minutes; usual are ${usual}.`;
  await send(() => message);
  await sql`
    with old as (delete from announced_bursts) insert into announced_bursts default values`.execute(db);
}

async function findBurst(db: Kysely<Schema>): Promise<{ lately: number; usual: number } | null> {
  const since = (minutes: number) => sql`created_at > now() - make_interval(mins => ${minutes})`;
  const { rows } = await sql<{ lately: number }>`
    select count(*)::integer as lately from reviews where ${since(BURST_MINUTES)}
      and not exists (select from announced_bursts where at > now() - interval '1 hour')`.execute(db);
  const lately = rows[0]?.lately ?? 0;
  if (lately <= BURST_FLOOR) return null;
  const { rows: week } = await sql<{ count: number }>`
    select count(*)::integer from reviews where ${since(WEEK_MINUTES)} and not ${since(BURST_MINUTES)}`.execute(
    db,
  );
  const usual = Math.round((week[0]?.count ?? 0) / (WEEK_MINUTES / BURST_MINUTES - 1));
  return lately > BURST_FACTOR * usual ? { lately, usual } : null;
}

/** Without the webhook's URL, which `fetch` does not put into its errors. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof TypeError && error.cause ? error.cause : error);
}
