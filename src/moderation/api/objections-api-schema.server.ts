import { z } from "zod";
import { OBJECTION_MAX, objectionResponse } from "../../domain/objection.ts";
import { cleanNotes, isPlainText } from "../../domain/review.ts";

/** The request body of `POST /api/reviews/objections`. `text` is stored as `cleanNotes` makes it. */
export const objectionBody = z.object({
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

/** The OpenAPI operation `POST /api/reviews/objections`. */
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
