import * as z from "zod/mini";
import { cleanNotes, isPlainText } from "./review.ts";

/** Why a note is reported, gravest first; also the rules under which it can be hidden (docs/product.md §13.2). */
export const reportReasons = ["personal_data", "illegal", "abusive", "off_topic", "fake"] as const;

export type ReportReason = (typeof reportReasons)[number];

/** The maximum length of a report's text, in UTF-16 code units, once trimmed. */
export const REPORT_TEXT_MAX = 300;

/** The request body of `POST /api/reports`. `text` is stored as `cleanNotes` makes it. */
export const reportBody = z.object({
  note_id: z.uuid(),
  reason: z.enum(reportReasons),
  text: z.nullish(z.string().check(z.refine(isReportText))),
});

function isReportText(text: string): boolean {
  return isPlainText(text) && (cleanNotes(text) ?? "").length <= REPORT_TEXT_MAX;
}
