import { type ApiRequest, hasErrorCode, withTimeLimit } from "../../browser/requests/api-request-client.ts";
import { limitEndOf } from "../../browser/requests/limit-end.ts";
import {
  asJson,
  SEND_TIMEOUT,
  type SignedInRequest,
  SignedOutError,
  type UserSession,
} from "../../browser/requests/signed-in-request.ts";
import { outcomeTexts, type ReportOutcome, reportResponse } from "../../domain/report.ts";
import { errorToast, type Toast } from "../../ui/toasts.ts";

/** What sends a report, with or without a session. */
export interface ReportApi {
  request: ApiRequest;
  send: SignedInRequest;
  session: UserSession;
}

/** Reports a note, as the signed-in user if there is one. @throws when it is not reported */
export async function sendReport(api: ReportApi, noteId: string, fields: FormData): Promise<true> {
  const init = asJson("POST", { ...Object.fromEntries(fields), note_id: noteId });
  return reportResponse.parse(await sendAsUser(api, init)).reported;
}

/** A session that is over makes no report fail: it needs none. */
async function sendAsUser({ request, send, session }: ReportApi, init: RequestInit): Promise<unknown> {
  const { user } = session.current();
  try {
    if (user) return await send(user.id, "/api/reports", init);
  } catch (error) {
    if (!(error instanceof SignedOutError)) throw error;
  }
  return request("/api/reports", { ...init, signal: withTimeLimit(undefined, SEND_TIMEOUT) });
}

export const reportTopic = "report";

export const noteReported: Toast = {
  title: "Note reported",
  description: outcomeTexts.sent,
  topic: reportTopic,
};

export function reportFailed(error: unknown): Toast {
  const end = limitEndOf(error);
  const whose = String(error).includes("your network") ? "came from your network" : "came from you";
  const description = end
    ? `Your report was not sent: too many ${whose}. You can send it ${end}.`
    : outcomeTexts[outcomeOf(error)];
  return errorToast(description, reportTopic);
}

function outcomeOf(error: unknown): ReportOutcome {
  if (hasErrorCode(error, "note_not_found")) return "gone";
  if (hasErrorCode(error, "rate_limited")) return "limited";
  return hasErrorCode(error, "invalid_report") ? "invalid" : "failed";
}
