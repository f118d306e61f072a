import { z } from "zod";
import { OBJECTION_MAX, objectionBody, objectionResponse } from "../../domain/objection.ts";

z.globalRegistry.add(objectionBody.shape.text, {
  description: `Plain text of at most ${OBJECTION_MAX} UTF-16 code units once trimmed`,
});

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
