import { z } from "zod";
import { REPORT_TEXT_MAX, reportBody, reportResponse } from "../../domain/report.ts";

z.globalRegistry.add(reportBody.shape.note_id, { description: "The `id` of a note" });
z.globalRegistry.add(reportBody.shape.text, {
  description: `Plain text of at most ${REPORT_TEXT_MAX} UTF-16 code units once trimmed`,
});

/** The OpenAPI operation `POST /api/reports`. */
export const describeReport = {
  summary: "Reports a note, with an access token or without; safe to repeat",
  body: reportBody,
  response: reportResponse,
  status: 201,
  errors: {
    "400": "invalid_report",
    "401": "invalid_client_key or authentication_required",
    "404": "note_not_found",
    "413": "request_too_large",
    "429": "rate_limited; Retry-After says for how many seconds",
    "503": "unavailable",
  },
} as const;
