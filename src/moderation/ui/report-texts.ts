import type { ReportOutcome } from "../../domain/report.ts";

/** What a reporter reads (docs/product.md §13.5). */
export const outcomeTexts: Record<ReportOutcome, string> = {
  sent: "Thank you. A person will look at it.",
  invalid: "Your report was not sent. Please choose a reason, and keep the details short.",
  gone: "Your report was not sent: the note is not there any more.",
  limited: "Your report was not sent: too many came from your network. Please try again later.",
  failed: "Your report could not be sent. Please try again.",
};
