import { z } from "zod";
import { REPORT_TEXT_MAX, reportReasons, reportResponse } from "../../domain/report.ts";
import { cleanNotes, isPlainText } from "../../domain/review.ts";

/** The request body of `POST /api/reports`. `text` is stored as `cleanNotes` makes it. */
export const reportBody = z.object({
  note_id: z.uuid().describe("The `id` of a note"),
  reason: z.enum(reportReasons),
  text: z
    .string()
    .refine(isReportText)
    .nullish()
    .describe(`Plain text of at most ${REPORT_TEXT_MAX} UTF-16 code units once trimmed`),
});

function isReportText(text: string): boolean {
  return isPlainText(text) && (cleanNotes(text) ?? "").length <= REPORT_TEXT_MAX;
}

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
