import type { IncomingMessage } from "node:http";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { z } from "zod";
import { describeOutage } from "../../database/errors.server.ts";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db } from "../../database/schema.server.ts";
import type { SignedInUser } from "../../domain/account.ts";
import {
  OBJECTION_MAX,
  objectionResponse,
  outcomeOfCode,
  REPORT_TEXT_MAX,
  type ReportOutcome,
  reportReasons,
  reportResponse,
} from "../../domain/report.ts";
import { formatShowQuery, parseShowQuery } from "../../domain/show-query.ts";
import { cleanText, isPlainText } from "../../domain/text.ts";
import { createWorkQueue } from "../../http/admission/queue.server.ts";
import type { NetworksOf } from "../../http/clients/client-address.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import {
  HttpError,
  handleErrors,
  invalidBody,
  sendError,
  unavailable,
} from "../../http/requests/errors.server.ts";
import { writeErrors } from "../../http/requests/query-parameters.server.ts";
import { isForm } from "../../http/requests/required.server.ts";
import { type DeadlineEnv, responseDeadline } from "../../http/requests/response-deadline.server.ts";
import { isForeignForm } from "../../http/security/fetch-metadata.server.ts";
import type { Deadline } from "../../lib/bounded-wait.ts";
import { createExpiringMap } from "../../lib/expiring-map.server.ts";
import { limitWrites } from "../../reviews/api/write-limits.server.ts";
import { insertObjection, insertReport, type Report } from "../store/reports-table.server.ts";

interface ReportRoutesOptions {
  db: Db;
  requireUser: MiddlewareHandler<{ Variables: { user: SignedInUser } }>;
  origin: string;
  networksOf: NetworksOf;
  log: Logger;
}

interface ReportEnv {
  Bindings: { incoming: IncomingMessage };
  Variables: DeadlineEnv["Variables"] & { user?: SignedInUser };
}

/** A flood of reports leaves connections to other requests. The deadline of a write limits how long one waits. */
const queueLimits = { places: 2, room: 200, maxWait: 10_000, minLength: 200, timeout: 10_000 };
const MAX_REMEMBERED = 20_000;
const REMEMBERED = 3_600_000; // in ms: no other part remembers a network for longer

const TOO_MANY = "Too many reports came from your network. Please try again later.";
const TOO_MANY_OF_USER = "You have reported many notes. Please try again later.";

export const reportBody = z.object({
  note_id: z.uuid().describe("The `id` of a note"),
  reason: z.enum(reportReasons),
  text: textUpTo(REPORT_TEXT_MAX).nullish(),
});

/** The limit applies after `cleanText`. */
function textUpTo(max: number) {
  const isShort = (text: string) => (cleanText(text) ?? "").length <= max;
  const description = `Plain text of at most ${max} UTF-16 code units once cleaned`;
  return z.string().refine(isShort).describe(description);
}

export const describeReport = {
  summary: "Reports a note, with an access token or without; safe to repeat",
  body: reportBody,
  response: reportResponse,
  status: 201,
  errors: {
    "400": "invalid_report",
    ...writeErrors,
    "404": "note_not_found",
    "413": "request_too_large",
  },
} as const;

/** `POST /reports` (docs/product.md §13.1 to §13.7), as JSON, or from the form of a page without scripts. */
export function reportRoutes(options: ReportRoutesOptions) {
  const { db, requireUser, origin, networksOf, log } = options;
  const app = new Hono<ReportEnv>();
  const inTurn = createWorkQueue({ ...queueLimits, refusal: unavailable });
  /** Reports without a session, by network and note. */
  const remembered = createExpiringMap<Promise<void>>({ ttl: REMEMBERED, max: MAX_REMEMBERED });

  app.onError(handleErrors(log, { outageReason: describeOutage, send: sendReportError }));
  app.use("/reports", responseDeadline(), limitBody());

  /** Forms cannot send the client key, but browsers send their origin. */
  const checkSender: MiddlewareHandler = (c, next) => {
    if (isForm(c) && isForeignForm(c, origin))
      throw new HttpError(403, "cross_site", "Forms of other sites are refused.");
    return next();
  };

  const findUser: MiddlewareHandler = (c, next) =>
    c.req.header("Authorization") === undefined ? next() : requireUser(c, next);

  async function store(deadline: Deadline, report: Report, client: string): Promise<void> {
    const insert = () => transactionBefore(db, deadline, (trx) => insertReport(trx, report));
    const refusal = await inTurn(client, insert);
    if (refusal?.refused === "note_not_found")
      throw new HttpError(404, "note_not_found", "This note is not there any more.");
    if (refusal) throw new HttpError(429, "rate_limited", TOO_MANY_OF_USER, Math.ceil(refusal.wait));
  }

  /**
   * Without a session, a network counts once for each note: the database knows only users. A repeat waits for
   * the first report, and fails with it.
   */
  async function storeOnce(
    deadline: Deadline,
    report: Report,
    [network = "", client = network]: readonly string[],
  ) {
    const key = `${network} ${report.noteId}`;
    const stored = (remembered.get(key) ?? remembered.add(key, store(deadline, report, client))).value;
    await stored.catch((error) => {
      if (remembered.get(key)?.value === stored) remembered.delete(key);
      throw error;
    });
  }

  app.post("/reports", checkSender, findUser, async (c) => {
    const report = await parseReport(c, c.get("user")?.id ?? null);
    const [deadline, networks] = [c.get("writeDeadline"), networksOf(c.env.incoming)];
    if (report.reporterId === null) await storeOnce(deadline, report, networks);
    else await store(deadline, report, networks.at(-1) ?? "");
    if (isForm(c)) return redirectBack(c, "sent");
    return c.json({ reported: true }, 201, { "Cache-Control": "no-store" });
  });
  return app;
}

export function sendReportError(c: Context, error: HttpError): Response {
  return isForm(c) ? redirectBack(c, outcomeOfCode[error.code] ?? "failed") : sendError(c, error);
}

export function tooManyReports(wait: number): HttpError {
  return new HttpError(429, "network_rate_limited", TOO_MANY, wait);
}

/** Leads to the show's page, which the form's address names. */
function redirectBack(c: Context, outcome: ReportOutcome): Response {
  const query = parseShowQuery(new URL(c.req.url).searchParams);
  c.header("Cache-Control", "no-store");
  return c.redirect(query.show ? `/?${formatShowQuery(query)}&report=${outcome}` : "/", 303);
}

/** @throws HttpError 400 `invalid_report` */
async function parseReport(c: Context, reporterId: string | null): Promise<Report> {
  const { data, error } = reportBody.safeParse(
    await (isForm(c) ? c.req.parseBody() : c.req.json()).catch(() => null),
  );
  if (!data) throw invalidBody("invalid_report", error);
  const { note_id, reason, text } = data;
  return { noteId: note_id.toLowerCase(), reporterId, reason, text: text ? cleanText(text) : null };
}

const refusals = {
  account_ended: new HttpError(401, "authentication_required", "Please sign in."),
  nothing_hidden: new HttpError(404, "nothing_hidden", "Your notes of this show are not hidden."),
  already_objected: new HttpError(409, "already_objected", "You have objected already."),
};

const objectionBody = z.object({
  show_id: z.string().min(1).max(200).refine(isPlainText),
  text: textUpTo(OBJECTION_MAX),
});

export const describeObjection = {
  summary: "Objects, once, to the hiding of the signed-in user's notes of a show",
  body: objectionBody,
  response: objectionResponse,
  status: 201,
  errors: {
    ...describeReport.errors,
    ...{ "400": "invalid_objection", "404": "nothing_hidden", "409": "already_objected" },
  },
  signedIn: true,
} as const;

/** `POST /reviews/objections`: the author of hidden notes objects, once (docs/product.md §13.15). */
export function objectionRoutes(options: Pick<ReportRoutesOptions, "db" | "requireUser" | "log">) {
  const { db, requireUser, log } = options;
  const app = new Hono<{ Variables: DeadlineEnv["Variables"] & { user: SignedInUser } }>();
  app.onError(handleErrors(log, { outageReason: describeOutage }));
  app.use("/reviews/objections", responseDeadline());

  app.post("/reviews/objections", requireUser, limitWrites(db), limitBody(), async (c) => {
    const { data, error } = objectionBody.safeParse(await c.req.json().catch(() => null));
    if (!data) throw invalidBody("invalid_objection", error);
    const text = cleanText(data.text);
    if (!text) throw new HttpError(400, "invalid_objection", "text: some words are needed.");
    const objection = { showId: data.show_id, text, userId: c.get("user").id };
    const refusal = await transactionBefore(db, c.get("writeDeadline"), (trx) =>
      insertObjection(trx, objection),
    );
    if (refusal) throw refusals[refusal.refused];
    return c.json({ objected: true } satisfies z.infer<typeof objectionResponse>, 201, {
      "Cache-Control": "no-store",
    });
  });
  return app;
}
