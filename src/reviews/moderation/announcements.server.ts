import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { WebhookConfig } from "../../config/environment.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { ReportReason } from "../../domain/report.ts";
import { messageOf } from "../../lib/error-message.ts";
import { wordsOf } from "./moderation-pages.server.ts";
import { postMessage, type WriteMessage } from "./webhook.server.ts";

/** Of more reports at once, one message says how many there are. */
const MAX_MESSAGES = 5;

/** The longest quotes in a message, in characters. */
const MAX_QUOTED = { title: 100, notes: 300, objection: 200 };

/** A burst: more reviews than this within `BURST_MINUTES` … */
const BURST_FLOOR = 100;
/** … and so many times as many as usual in the last week. */
const BURST_FACTOR = 5;
const BURST_MINUTES = 15;
const WEEK_MINUTES = 7 * 24 * 60;

/** After so many failures the wait does not grow any more: it is 6 hours then. */
const MAX_GROWTH = 10;

/** How often it is logged that the webhook does not work, in ms. */
const LOG_INTERVAL = 24 * 3_600_000;

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
 * Returns the task that tells the operator's webhook of new reports, objections and bursts of reviews
 * (docs/product.md §13.21). It rejects to be tried again. Between failures the waits grow as the job queue's
 * do. A lock keeps two instances from telling the same thing twice.
 */
export function createAnnouncer(options: AnnouncerOptions) {
  const { webhook, countMessage, log, now = () => performance.now() } = options;
  let failures = 0;
  let retryAt = Number.NEGATIVE_INFINITY;
  let loggedAt = Number.NEGATIVE_INFINITY;

  function recordFailure(error: unknown): void {
    countMessage("failed");
    failures++;
    retryAt = now() + 1_000 * Math.exp(Math.min(failures, MAX_GROWTH));
    if (now() < loggedAt + LOG_INTERVAL) return;
    loggedAt = now();
    log.warn({ reason: reasonOf(error) }, "The moderation webhook was not reached; it is tried again");
  }

  async function send(write: WriteMessage, stop: AbortSignal): Promise<void> {
    try {
      await postMessage(webhook, write, stop);
    } catch (error) {
      if (!stop.aborted) recordFailure(error);
      throw error;
    }
    countMessage("accepted");
    failures = 0;
    loggedAt = Number.NEGATIVE_INFINITY;
  }

  return async function announce(db: Kysely<Schema>, stop: AbortSignal): Promise<void> {
    if (now() < retryAt) return;
    await db
      .connection()
      .execute((connection) =>
        announceUnderLock(connection, { ...options, send: (write) => send(write, stop) }),
      );
  };
}

interface RunOptions extends AnnouncerOptions {
  send: Send;
}

const lockKey = sql`hashtextextended('front-row announcements', 0)`;

async function announceUnderLock(connection: Kysely<Schema>, options: RunOptions): Promise<void> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${lockKey}) as locked`.execute(
    connection,
  );
  if (!rows[0]?.locked) return;
  try {
    await announceReports(connection, options);
    await announceBurst(connection, options.send);
  } finally {
    // Fails only if the session has ended, which releases the lock as well.
    await sql`select pg_advisory_unlock(${lockKey})`.execute(connection).catch(() => {});
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

async function announceReports(db: Kysely<Schema>, { webhook, linkTo, send }: RunOptions): Promise<void> {
  const reports = await findUnannounced(db);
  if (reports.length > MAX_MESSAGES) {
    await send(() => describeMany(reports.length));
    return markAnnounced(db, reports);
  }
  for (const report of reports) {
    const link = await linkTo(report.id);
    await send(describeReport(report, link, webhook.hasText));
    await markAnnounced(db, [report]);
  }
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

function describeMany(count: number): string {
  return `Front Row: ${count} notes were reported or objected to. They are in the queue: npm run admin -- decide`;
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
