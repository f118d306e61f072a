import { errorCodeOf } from "../../browser/requests/api-request-client.ts";
import { limitOf } from "../../browser/requests/limit-end.ts";
import { outcomeOfCode, outcomeTexts } from "../../domain/report.ts";
import { errorToast, type Toast } from "../../ui/toasts.ts";

export const reportTopic = "report";

export const noteReported: Toast = {
  title: "Note reported",
  description: outcomeTexts.sent,
  topic: reportTopic,
};

export function reportFailed(error: unknown): Toast {
  const limit = limitOf(error);
  const description = limit
    ? `Your report was not sent: too many came from ${limit.isOfNetwork ? "your network" : "you"}. You can send it ${limit.end}.`
    : outcomeTexts[outcomeOfCode[errorCodeOf(error)] ?? "failed"];
  return errorToast(description, reportTopic);
}
