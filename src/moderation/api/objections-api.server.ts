import { Hono, type MiddlewareHandler } from "hono";
import type { Kysely } from "kysely";
import type { Logger } from "pino";
import { z } from "zod";
import type { SignedInUser } from "../../auth/session.ts";
import { describeOutage } from "../../database/errors.server.ts";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { OBJECTION_MAX, objectionResponse } from "../../domain/report.ts";
import { cleanNotes, isPlainText } from "../../domain/review.ts";
import { allowMethods } from "../../http/requests/allow-methods.server.ts";
import { limitBody } from "../../http/requests/body-limit.server.ts";
import { HttpError, handleErrors, unavailable } from "../../http/requests/errors.server.ts";
import { type DeadlineEnv, responseDeadline } from "../../http/requests/response-deadline.server.ts";
import { limitWrites } from "../../reviews/api/write-limits.server.ts";
import { insertObjection, type ObjectionRefusal } from "../store/objections.server.ts";

interface ObjectionRoutesOptions {
  db: Kysely<Schema>;
  requireUser: MiddlewareHandler<{ Variables: { user: SignedInUser } }>;
  log: Logger;
}

const refusals: Record<ObjectionRefusal, HttpError> = {
  author_gone: new HttpError(401, "authentication_required", "Please sign in."),
  nothing_hidden: new HttpError(404, "nothing_hidden", "Your notes of this show are not hidden."),
  already_objected: new HttpError(409, "already_objected", "You have objected already."),
};

const invalidObjection = new HttpError(
  400,
  "invalid_objection",
  `show_id and text are needed; text has at most ${OBJECTION_MAX} characters, none of them control characters.`,
);

const objectionBody = z.object({
  show_id: z.string().min(1).max(200).refine(isPlainText),
  text: z
    .string()
    .refine(isObjection)
    .describe(`Plain text of at most ${OBJECTION_MAX} UTF-16 code units once trimmed`),
});

function isObjection(text: string): boolean {
  const clean = cleanNotes(text);
  return isPlainText(text) && clean !== null && clean.length <= OBJECTION_MAX;
}

export const describeObjection = {
  summary: "Objects, once, to the hiding of the signed-in user's notes of a show",
  body: objectionBody,
  response: objectionResponse,
  status: 201,
  errors: {
    "400": "invalid_objection",
    "401": "invalid_client_key or authentication_required",
    "404": "nothing_hidden",
    "409": "already_objected",
    "413": "request_too_large",
    "429": "rate_limited; Retry-After says for how many seconds",
    "503": "unavailable",
  },
  signedIn: true,
} as const;

/** `POST /reviews/objections`: the author of hidden notes objects, once (docs/product.md §13.15). */
export function objectionRoutes({ db, requireUser, log }: ObjectionRoutesOptions) {
  const app = new Hono<{ Variables: DeadlineEnv["Variables"] & { user: SignedInUser } }>();
  app.onError(handleErrors(log, { fallback: unavailable, outageReason: describeOutage }));
  app.use("/reviews/objections", allowMethods("POST"), responseDeadline());

  app.post("/reviews/objections", requireUser, limitWrites(db), limitBody(), async (c) => {
    const { data } = objectionBody.safeParse(await c.req.json().catch(() => null));
    const text = data && cleanNotes(data.text);
    if (!text) throw invalidObjection;
    const objection = { showId: data.show_id, text, userId: c.get("user").id };
    const result = await transactionBefore(db, c.get("writeDeadline"), (trx) =>
      insertObjection(trx, objection),
    );
    if (result !== "objected") throw refusals[result];
    return c.json({ objected: true } satisfies z.infer<typeof objectionResponse>, 201, {
      "Cache-Control": "no-store",
    });
  });
  return app;
}
