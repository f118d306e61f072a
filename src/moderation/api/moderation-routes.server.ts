import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import { z } from "zod";
import { describeOutage } from "../../database/errors.server.ts";
import { type Db, isRowId } from "../../database/schema.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import { type HttpError, handleErrors } from "../../http/requests/errors.server.ts";
import { type DeadlineEnv, responseDeadline } from "../../http/requests/response-deadline.server.ts";
import { isForeignForm } from "../../http/security/fetch-metadata.server.ts";
import { describeOutcome, refusals, undoRefusals } from "../decision-texts.server.ts";
import {
  type DecisionRow,
  decideReport,
  findDecisionsBy,
  findLastDecision,
  undoDecision,
} from "../store/decisions.server.ts";
import { findLink, type QueueLink } from "../store/queue-links.server.ts";
import { findQueuePage } from "../store/report-queue.server.ts";
import { describeDecision, messagePage, queuePage } from "./moderation-pages.server.ts";

interface ModerationRoutesOptions {
  db: Db;
  origin: string;
  log: Logger;
}

type Env = { Variables: DeadlineEnv["Variables"] & { link: QueueLink } };

const rowId = z.string().refine(isRowId);

/** `seen`: what the page showed when the button was clicked. */
const press = z.union([
  z.object({ undo: rowId }),
  z.object({ action: z.enum(["keep", "hide"]), report: rowId, seen: z.string() }),
]);

const query = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).catch(1),
  /** The decision that was made or taken back. */
  done: rowId.optional().catch(undefined),
});

const ENDED = "This link has ended. What waits stays in the queue: ask for another link.";

/**
 * `GET` and `POST /moderation/<token>`: helpers decide reports on this page, by their link (docs/product.md
 * §13.22). `GET` changes nothing, because link previews fetch it.
 */
export function moderationRoutes(options: ModerationRoutesOptions) {
  const { db, origin, log } = options;
  const app = new Hono<Env>();
  const address = "/moderation/:token";
  app.onError(handleErrors(log, { outageReason: describeOutage, send: sendLinkError }));
  app.use(address, responseDeadline(), limitBody());
  app.use(address, async (c, next) => {
    const link = await findLink(db, c.req.param("token"));
    if (!link) return send(c, 404, messagePage("This link is not valid. Is it complete?"));
    if (link.hasEnded) return send(c, 410, messagePage(ENDED));
    c.set("link", link);
    return next();
  });

  /** @param about a report: while it is open, the page shows only this report */
  async function sendQueue(c: Context<Env>, status: ContentfulStatusCode, message: string, about?: string) {
    const link = c.get("link");
    const { page } = query.parse(c.req.query());
    const one = about === undefined ? null : await findQueuePage(db, 1, about);
    const queue = one?.total ? one : await findQueuePage(db, page, link.reportId);
    const decisions = await findDecisionsBy(db, link);
    const back = queue === one && link.reportId === null ? `?page=${page}` : null;
    return send(c, status, await queuePage({ ...queue, message, decisions, back }));
  }

  app.get(address, async (c) => {
    const { done } = query.parse(c.req.query());
    const link = c.get("link");
    if (done) {
      const decision = (await findDecisionsBy(db, link)).find(({ id }) => id === done);
      return sendQueue(c, 200, decision ? describeDone(decision) : "");
    }
    const standing = link.reportId === null ? null : await findLastDecision(db, link.reportId);
    return sendQueue(c, 200, standing ? describeDecision(standing) : "");
  });

  app.post(address, async (c) => {
    // The page sends no referrer, so browsers send the origin `null`.
    if (isForeignForm(c, origin, "null"))
      return send(c, 403, messagePage("This came from another page. Open the link again and decide there."));
    const link = c.get("link");
    const { data } = press.safeParse(await c.req.parseBody().catch(() => null));
    if (!data || ("report" in data && link.reportId !== null && data.report !== link.reportId))
      return send(c, 400, messagePage("Nothing was chosen. Open the link again and decide there."));
    const deadline = c.get("writeDeadline");
    const { page } = query.parse(c.req.query());
    // A browser or a proxy has sent a successful click again.
    const redirect = (done: string) => {
      const { headers } = messagePage("");
      return c.body(null, 303, { ...headers, Location: `${c.req.path}?page=${page}&done=${done}` });
    };
    if ("undo" in data) {
      const undone = await undoDecision(db, data.undo, { link, deadline });
      if (!("refused" in undone) || undone.refused === "already_undone") return redirect(data.undo);
      return sendQueue(c, 409, undoRefusals[undone.refused]);
    }
    const { action, report, seen } = data;
    const decided = await decideReport(db, { reportId: report, action, reason: null, seen, link }, deadline);
    if (!("refused" in decided)) return redirect(decided.decisionId);
    const { refused } = decided;
    const standing = refused === "already_decided" ? await findLastDecision(db, report) : null;
    if (standing?.action === action && standing.link === link.number) return redirect(standing.id);
    const message = standing ? `${refusals[refused]} ${describeDecision(standing)}` : refusals[refused];
    return sendQueue(c, 409, message, report);
  });
  return app;
}

export function sendLinkError(c: Context, error: HttpError): Response {
  return send(c, error.status, messagePage(error.message));
}

function describeDone(decision: DecisionRow): string {
  if (decision.refusal !== "already_undone") return `${describeOutcome(decision)}.`;
  return `The decision is taken back${decision.waits ? ", and the note waits again" : ""}.`;
}

function send(c: Context, status: ContentfulStatusCode, { html, headers }: Page): Response {
  return c.body(html, status, headers);
}

type Page = ReturnType<typeof messagePage>;
