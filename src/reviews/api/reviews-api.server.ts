import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { describeOutage } from "../../database/errors.server.ts";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../../database/schema.server.ts";
import { createRefusalLog } from "../../database/security-log.server.ts";
import type { SignedInUser } from "../../domain/account.ts";
import { NOTES_MAX } from "../../domain/review.ts";
import { type RemovedReview, reviewBody, type SavedReview } from "../../domain/review-dto.ts";
import { parsePageNumber } from "../../domain/show-query.ts";
import { noTallies } from "../../domain/tallies-dto.ts";
import { cleanText, isPlainText } from "../../domain/text.ts";
import { createResponseCache } from "../../http/cache/response-cache.server.ts";
import { sendCached } from "../../http/cache/send-cached.server.ts";
import { type CountRequest, checkRate } from "../../http/clients/rate-limit.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import { HttpError, handleErrors, invalidBody, unavailable } from "../../http/requests/errors.server.ts";
import { parseQuery } from "../../http/requests/query-parameters.server.ts";
import { type DeadlineEnv, responseDeadline } from "../../http/requests/response-deadline.server.ts";
import { digestOf } from "../../lib/hash.server.ts";
import {
  deleteReview,
  findReviewsByUser,
  type TalliesUpdate,
  writeReview,
} from "../store/reviews-table.server.ts";
import type { NotesCache } from "./notes-cache.server.ts";
import { ownReviewsParameters, removalParameters, reviewsParameters } from "./reviews-api-schema.server.ts";
import { limitWrites } from "./write-limits.server.ts";

interface ReviewRoutesOptions {
  db: Db;
  notes: NotesCache;
  /** Counts each review that is sent, by outcome: `written`, `deleted`, or the error code. */
  countReview: (outcome: string) => void;
  countForNetwork: CountRequest;
  /** Called after each commit: this instance then shows the review before the notification arrives. */
  onWritten: (update: TalliesUpdate) => void;
  /** Called in the transaction of a note that stays hidden. */
  onHidden: (trx: Trx, key: { showId: string; userId: string }) => Promise<void>;
  isListed: (showId: string) => boolean;
  /** Whether the list of shows has been loaded. */
  isLoaded?: () => boolean;
  requireUser: MiddlewareHandler<{ Variables: { user: SignedInUser } }>;
  log: Logger;
  /** In ms. */
  responseTimeout?: number;
}

interface ReviewEnv {
  Variables: DeadlineEnv["Variables"] & { user: SignedInUser; errorCode: string };
}

const showNotFound = new HttpError(404, "show_not_found", "There is no such show in the list.");

const writeRefusals = {
  account_ended: new HttpError(401, "authentication_required", "Please sign in."),
  show_not_listed: showNotFound,
  reviews_closed: new HttpError(403, "reviews_closed", "No reviews can be written for now."),
};

/** Leaves room for notes that are too long: they get 422, not 413. */
const MAX_BODY_BYTES = 65_536;

const PRIVATE = { "Cache-Control": "no-store" };

/**
 * `GET /reviews`: the notes of shows. `PUT` and `DELETE /reviews`, `GET /reviews/mine`: reviews of the
 * signed-in user.
 */
export function reviewRoutes(options: ReviewRoutesOptions) {
  const { db, notes, countReview, countForNetwork, onWritten, onHidden, requireUser, log } = options;
  const { isListed, isLoaded = () => true, responseTimeout } = options;
  const app = new Hono<ReviewEnv>();
  const getResponse = createResponseCache({
    maxEntries: 400,
    maxBytes: 32_000_000,
    contentType: "application/json",
    version: notes.version,
  });
  const logRefusal = createRefusalLog(log);
  /** Counts the outcome that is sent, also if the deadline passes first. */
  const countOutcome: MiddlewareHandler<ReviewEnv> = async (c, next) => {
    await next();
    const done = { PUT: "written", DELETE: "deleted" }[c.req.method];
    if (done === undefined) return;
    const outcome = c.res.ok ? done : c.get("errorCode");
    countReview(outcome);
    if (outcome === "not_your_review")
      logRefusal({ event: "write_refused", user_id: c.get("user").id, reason: outcome });
  };
  app.onError(handleErrors(log, { outageReason: describeOutage }));
  app.use("/reviews", countOutcome, responseDeadline(responseTimeout));
  app.use("/reviews/mine", responseDeadline(responseTimeout));

  async function sendNotes(c: Context, key: string, read: () => Promise<string>) {
    const content = async () => {
      const text = await read();
      return { hash: digestOf(text), render: () => ({ text }) };
    };
    return sendCached(c, await getResponse({ key, content }));
  }

  async function findNewest(ids: readonly string[]): Promise<string> {
    const members = [...(await notes.get(ids))].map(([id, json]) => `${JSON.stringify(id)}:${json}`);
    return `{"reviews":{${members.join(",")}}}`;
  }

  app.get("/reviews", async (c) => {
    const { show_id, answer: [interaction] = [], page: [page] = ["1"] } = parseQuery(c, reviewsParameters);
    const ids = [...new Set(show_id)].filter(isListed).sort();
    if (!interaction) return sendNotes(c, ids.join("\n"), () => findNewest(ids));
    const [showId] = ids;
    if (showId === undefined) throw isLoaded() ? showNotFound : unavailable;
    const query = { showId, interaction, page: parsePageNumber(page) ?? 1 };
    return sendNotes(c, JSON.stringify(query), async () => JSON.stringify(await notes.page(query)));
  });

  app.put("/reviews", requireUser, limitWrites(db), limitBody(MAX_BODY_BYTES), async (c) => {
    const user = c.get("user");
    const review = await parseReview(c, user);
    // Last: invalid reviews and those over the user's own limits do not count for the network.
    checkRate(c, countForNetwork);
    const result = await transactionBefore(db, c.get("writeDeadline"), async (trx) => {
      const written = await writeReview(trx, review);
      if (!("refused" in written) && written.hidden)
        await onHidden(trx, { showId: review.show_id, userId: user.id });
      return written;
    });
    if ("refused" in result) throw writeRefusals[result.refused];
    const { review: stored, tallies } = result;
    onWritten({ showId: stored.show_id, tallies });
    return c.json({ review: stored, reviews: tallies } satisfies SavedReview, 200, PRIVATE);
  });

  app.delete("/reviews", requireUser, limitWrites(db), async (c) => {
    const { show_id } = parseQuery(c, removalParameters, "show_id must be given once.");
    const [showId] = show_id;
    const userId = c.get("user").id;
    const deletion = (trx: Trx) => deleteReview(trx, { showId, userId });
    const result = await transactionBefore(db, c.get("writeDeadline"), deletion);
    if ("refused" in result) throw writeRefusals[result.refused];
    const { tallies } = result;
    if (tallies) onWritten({ showId, tallies });
    return c.json({ reviews: tallies ?? noTallies } satisfies RemovedReview, 200, PRIVATE);
  });

  app.get("/reviews/mine", requireUser, async (c) => {
    const { page: [page] = ["1"] } = parseQuery(c, ownReviewsParameters);
    return c.json(await findReviewsByUser(db, c.get("user").id, parsePageNumber(page) ?? 1), 200, PRIVATE);
  });
  return app;
}

/** @throws HttpError 400 `invalid_review`, 403 `not_your_review`, 422 `notes_too_long` */
async function parseReview(c: Context, user: SignedInUser) {
  const parsed = reviewBody.safeParse(await c.req.json().catch(() => null));
  if (!parsed.success) throw invalidBody("invalid_review", parsed.error);
  const { show_id, user_id, audience_interaction, notes = null } = parsed.data;
  // UUIDs compare without case.
  if (user_id.toLowerCase() !== user.id)
    throw new HttpError(403, "not_your_review", "A review can only be written in one's own name.");
  if (!isPlainText(show_id) || !isPlainText(notes ?? "")) {
    throw new HttpError(
      400,
      "invalid_review",
      "Texts must not hold control characters or halves of characters.",
    );
  }
  const clean = notes === null ? null : cleanText(notes);
  if (clean !== null && clean.length > NOTES_MAX) {
    throw new HttpError(422, "notes_too_long", `Notes cannot exceed ${NOTES_MAX} characters`);
  }
  return { show_id, user_id: user.id, audience_interaction, notes: clean };
}
