import * as z from "zod/mini";

/** Gravest first. A note is hidden under one of them, too (docs/product.md §13.2). */
export const reportReasons = ["personal_data", "illegal", "abusive", "off_topic", "fake"] as const;

export type ReportReason = (typeof reportReasons)[number];

export const reasonLabels: Record<ReportReason, string> = {
  personal_data: "It names or describes a private person",
  illegal: "It breaks the law",
  abusive: "It is abusive",
  off_topic: "It is not about the show",
  fake: "It is fake, or by the company",
};

/** In UTF-16 code units, once cleaned. SQL's `utf16_length` checks both lengths. */
export const REPORT_TEXT_MAX = 300;

export const reportResponse = z.object({ reported: z.literal(true) });

/** Outcomes of a report that was sent without scripts, in the URL of the page (docs/product.md §13.6). */
export const reportOutcomes = ["sent", "invalid", "gone", "limited", "failed"] as const;

export type ReportOutcome = (typeof reportOutcomes)[number];

/** By error code of the API. Any other code is `failed`. */
export const outcomeOfCode: Partial<Record<string, ReportOutcome>> = {
  invalid_report: "invalid",
  note_not_found: "gone",
  rate_limited: "limited",
  network_rate_limited: "limited",
};

/** docs/product.md §13.5 */
export const outcomeTexts: Record<ReportOutcome, string> = {
  sent: "Thank you. A person will look at it.",
  invalid: "Your report was not sent. Please choose a reason, and keep the details short.",
  gone: "Your report was not sent: the note is not there any more.",
  limited: "Your report was not sent: too many came from your network. Please try again later.",
  failed: "Your report could not be sent. Please try again.",
};

/** In UTF-16 code units, once cleaned (docs/product.md §13.15). */
export const OBJECTION_MAX = 500;

export const objectionResponse = z.object({ objected: z.literal(true) });
