import { sql } from "kysely";
import type { Logger } from "pino";
import type { WebhookConfig } from "../../config/environment.server.ts";
import type { Db } from "../../database/schema.server.ts";
import type { ReportReason } from "../../domain/report.ts";
import type { JobRun, Task } from "../../jobs/job-queue.server.ts";
import { messageOf } from "../../lib/error-message.ts";
import { shorten } from "../../lib/format.ts";
import { findBursts } from "../store/bursts.server.ts";
import { NOTIFICATION_SPACING, NOTIFY_OPERATOR, notifyOperator } from "../store/notify-operator.server.ts";
import { isHidden, isRewritten, queueOrder } from "../store/report-queue.server.ts";
import { fits, postMessage, toPlainLine, type WriteMessage } from "./webhook.server.ts";

const MAX_LINKS = 5; // for the gravest reports; the others are counted
const MAX_QUOTED = { title: 100, notes: 300, objection: 200 }; // in characters

/** Older bursts are no news. Longer than the hour without messages, and the wait for the next run. */
const BURST_HOURS = 2;

interface NotifierOptions {
  webhook: WebhookConfig;
  linkTo: (reportId: string, db: Db) => Promise<string>;
  countMessage: (outcome: "accepted" | "failed") => void;
  log: Logger;
}

/** After a restore, links in earlier messages may not work any more. */
export async function notifyAnew(db: Db): Promise<void> {
  await sql`update reports set announced = null, announced_note = null where decided_at is null`.execute(db);
  await notifyOperator(db);
}

/** Tasks that notify the operator of reports, objections and bursts of reviews (docs/product.md §13.21). */
export function notificationTasks({ webhook, linkTo, countMessage, log }: NotifierOptions): Task[] {
  async function send(write: WriteMessage, stop: AbortSignal): Promise<void> {
    try {
      await postMessage(webhook, write, stop);
      countMessage("accepted");
    } catch (error) {
      if (stop.aborted) throw error;
      countMessage("failed");
      // Without the webhook's URL, which `fetch` does not put into its errors.
      const reason = messageOf(error instanceof TypeError && error.cause ? error.cause : error);
      log.warn({ reason }, "The moderation webhook was not reached; it is tried again");
      throw error;
    }
  }

  async function notifyOfReports({ db, signal }: JobRun): Promise<void> {
    const reports = await findUnnotified(db);
    if (reports.length === 0) return;
    const linked = reports
      .slice(0, MAX_LINKS)
      .map(async (report) => reportMessage(report, await linkTo(report.id, db), webhook.hasText));
    await send(joinMessages(await Promise.all(linked), reports.length), signal);
    const notified = JSON.stringify(reports.map(({ id, kind, noteId }) => ({ id, kind, note: noteId })));
    // Marks only what was found: a later objection is in the next message.
    await sql`
      update reports set announced = notified.kind, announced_note = notified.note
      from json_to_recordset(${notified}) as notified (id bigint, kind text, note uuid)
      where reports.id = notified.id`.execute(db);
    await notifyOperator(db);
  }

  async function notifyOfBurst({ db, signal }: JobRun): Promise<void> {
    const message = await burstMessage(db);
    if (message === null) return;
    await send(message, signal);
    await sql`
      with old as (delete from announced_bursts) insert into announced_bursts default values`.execute(db);
  }

  return [
    { name: NOTIFY_OPERATOR, onStart: notifyOperator, run: notifyOfReports },
    {
      name: "look-for-bursts",
      pattern: "*/5 * * * *",
      // `notifyOfBurst` logs a failure, and needs no retry: the next run comes soon.
      run: (job) => notifyOfBurst(job).catch(() => {}),
    },
  ];
}

interface Unnotified {
  id: string;
  kind: "report" | "objection";
  rule: ReportReason;
  /** Whether the author has changed hidden notes. */
  changed: boolean;
  objection: string | null;
  title: string;
  notes: string | null;
  noteId: string | null;
}

/** As many of the messages as fit into one, and how many more reports there are. */
function joinMessages(messages: readonly WriteMessage[], reports: number): WriteMessage {
  const others = reports - messages.length;
  const more = `Front Row: ${others} more in the queue, reported or objected to: npm run admin -- queue-link <name>`;
  const joined: WriteMessage = (quote) =>
    [...messages.map((write) => write(quote)), ...(others > 0 ? [more] : [])].join("\n\n");
  return messages.length === 1 || fits(joined) ? joined : joinMessages(messages.slice(0, -1), reports);
}

/** In the queue's order. */
async function findUnnotified(db: Db): Promise<Unnotified[]> {
  const { rows } = await sql<Unnotified>`
    select reports.id, case when objection is null then 'report' else 'objection' end as kind, rule, objection,
      ${isHidden} and ${isRewritten} as changed, title, notes, reviews.note_id as "noteId"
    from reports
    join shows on shows.id = reports.show_id
    left join present_reviews as reviews on reviews.show_id = reports.show_id and user_id = author_id
    where decided_at is null and (announced is null or announced = 'report' and objection is not null
      or ${isHidden} and announced_note <> reviews.note_id)
    order by ${queueOrder}`.execute(db);
  return rows;
}

/** How many reports the operator was not notified of, and whether their message is overdue. */
export async function findUnsent(db: Db): Promise<{ waiting: number; fail: boolean }> {
  const { length: waiting } = await findUnnotified(db);
  const { rows } = await sql`
    select from graphile_worker.jobs where key = ${NOTIFY_OPERATOR} and last_error is null
      and run_at between now() - interval '10 minutes'
        and now() + make_interval(secs => ${NOTIFICATION_SPACING})`.execute(db);
  return { waiting, fail: waiting > 0 && rows.length === 0 };
}

/** The site's own link comes first, so that no text before it can pass for it. */
function reportMessage(report: Unnotified, link: string, hasText: boolean): WriteMessage {
  const { kind, rule, changed } = report;
  return (quote) => {
    const quoted = (name: keyof typeof MAX_QUOTED) =>
      `“${quote(shorten(toPlainLine(report[name] ?? ""), MAX_QUOTED[name]))}”`;
    const what = changed
      ? `The author of a hidden note has changed it, at ${quoted("title")}.`
      : kind === "objection"
        ? `The author of a note that was reported objects, at ${quoted("title")}.`
        : `A note was reported, at ${quoted("title")}: ${rule.replace("_", " ")}.`;
    return [
      `Front Row: hide or keep a note, within 48 hours: ${link}`,
      what,
      ...(hasText && report.notes ? [`Note: ${quoted("notes")}`] : []),
      ...(hasText && report.objection ? [`Objection: ${quoted("objection")}`] : []),
    ].join("\n");
  };
}

/** Null without a new burst, or if the operator was notified of one within the last hour. */
async function burstMessage(db: Db): Promise<WriteMessage | null> {
  const { rows } = await sql<{ at: Date; isRecent: boolean }>`
    select at, at > now() - interval '1 hour' as "isRecent" from announced_bursts`.execute(db);
  const [last] = rows;
  if (last?.isRecent) return null;
  const found = await findBursts(db, new Date(Date.now() - BURST_HOURS * 3_600_000));
  const [burst, ...others] = found.filter(({ to }) => !last || new Date(to) > last.at);
  if (!burst) return null;
  const more = others.length > 0 ? `, and at ${others.length} more of the shows` : "";
  return (quote) =>
    `Front Row: ${burst.size} young or once-only accounts reviewed one show within a short time, “${quote(shorten(toPlainLine(burst.show.title), MAX_QUOTED.title))}”${more}: npm run admin -- bursts`;
}
