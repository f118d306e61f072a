import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Kysely } from "kysely";
import type { Logger } from "pino";
import { z } from "zod";
import { describeOutage } from "../../database/errors.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { allowMethods } from "../../http/requests/allow-methods.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import { handleErrors } from "../../http/requests/errors.server.ts";
import {
  type DeadlineEnv,
  outageError,
  responseDeadline,
} from "../../http/requests/response-deadline.server.ts";
import { isForeignForm, requireNavigation } from "../../http/security/fetch-metadata.server.ts";
import { decideReport, findLastDecision, refusals } from "../store/decisions.server.ts";
import { findReport } from "../store/report-queue.server.ts";
import { decisionPage, describeDecision, messagePage } from "./moderation-pages.server.ts";

type Link = { linkId: string; reportId: string };

interface ModerationRoutesOptions {
  db: Kysely<Schema>;
  /** `expired` if the token was valid once; null if it never was. */
  verifyLink: (token: string) => Promise<Link | "expired" | null>;
  /** Limits the requests for links, and so the guesses. */
  limitRequests: MiddlewareHandler;
  origin: string;
  log: Logger;
}

/** `note`: which notes were looked at. Empty if there were none. */
const decisionBody = z.object({ action: z.enum(["keep", "hide"]), note: z.string() });

const TOO_OLD =
  "This link is too old: links are valid for 48 hours. What is open is in the queue of reports.";

/**
 * `GET` and `POST /moderation/<token>`: a page on which one report is decided by whoever has its link
 * (docs/product.md §13.22). `GET` changes nothing: services that show links fetch them.
 */
export function moderationRoutes({ db, verifyLink, limitRequests, origin, log }: ModerationRoutesOptions) {
  const app = new Hono<{ Variables: DeadlineEnv["Variables"] & { link: Link } }>();
  const address = "/moderation/:token";
  app.onError(
    handleErrors(log, {
      fallback: outageError,
      outageReason: describeOutage,
      send: (c, { status, message }) => send(c, status, message),
    }),
  );
  app.use(address, requireNavigation, limitRequests, allowMethods("GET", "HEAD", "POST"));
  app.use(address, responseDeadline(), limitBody());
  app.use(address, async (c, next) => {
    const link = await verifyLink(c.req.param("token"));
    if (link === null) return send(c, 404, "This link is not valid. Is it complete?");
    if (link === "expired") return send(c, 410, TOO_OLD);
    c.set("link", link);
    return next();
  });

  app.get(address, async (c) => {
    const { reportId, linkId } = c.get("link");
    const report = await findReport(db, reportId);
    if (!report) return send(c, 410, refusals.report_not_found);
    if (report.decided_at !== null || (await findLastDecision(db, reportId, linkId)))
      return send(c, 200, describeDecision(await findLastDecision(db, reportId)));
    const { html, headers } = await decisionPage(report);
    return c.body(html, 200, headers);
  });

  app.post(address, async (c) => {
    // The page sends no referrer, so that browsers name its origin `null`.
    if (isForeignForm(c, origin, "null"))
      return send(c, 403, "This came from another page. Open the link again and decide there.");
    const link = c.get("link");
    const { data } = decisionBody.safeParse(await c.req.parseBody());
    if (!data) return send(c, 400, "Nothing was chosen. Open the link again and decide there.");
    const decision = { ...link, action: data.action, reason: null, noteId: data.note || null };
    const decided = await decideReport(db, decision, c.get("writeDeadline"));
    if (decided === "report_not_found") return send(c, 410, refusals[decided]);
    if (decided === "review_gone") return send(c, 409, refusals[decided]);
    if (typeof decided === "string") {
      const standing = await findLastDecision(db, link.reportId);
      // The same press, sent again by a browser or a proxy, has succeeded.
      if (decided === "already_decided" || standing?.action !== data.action)
        return send(c, 409, `Already decided. ${describeDecision(standing)}`);
    }
    return c.redirect(c.req.path, 303);
  });
  return app;
}

function send(c: Context, status: ContentfulStatusCode, message: string): Response {
  const { html, headers } = messagePage(message);
  return c.body(html, status, headers);
}
