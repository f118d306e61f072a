import { type ApiRequest, hasErrorCode } from "../../browser/api-request-client.ts";
import { limitEndOf } from "../../browser/limit-end.ts";
import { rethrowProgrammingError } from "../../browser/programming-error.ts";
import {
  type ReviewerSession,
  type SignedInRequest,
  SignedOutError,
} from "../../browser/signed-in-request.ts";
import { withTimeLimit } from "../../browser/time-limit-client.ts";
import { type ReportOutcome, reportResponse } from "../../domain/report.ts";

/** What sends a report, with or without a session. */
export interface ReportApi {
  request: ApiRequest;
  send: SignedInRequest;
  session: ReviewerSession;
}

/** The time limit of a report by somebody who is not signed in, in ms. */
const TIMEOUT = 30_000;

/** What became of a report. `limitEnd` says when a limit ends, in words; null if that is unknown. */
export interface SentReport {
  outcome: ReportOutcome;
  limitEnd?: string | null;
}

/** Reports a note, as the signed-in user if there is one. Failures are outcomes. @throws a programming error */
export async function sendReport(api: ReportApi, noteId: string, fields: FormData): Promise<SentReport> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...Object.fromEntries(fields), note_id: noteId }),
  };
  try {
    reportResponse.parse(await sendAsUser(api, init));
    return { outcome: "sent" };
  } catch (error) {
    rethrowProgrammingError(error);
    if (hasErrorCode(error, "note_not_found")) return { outcome: "gone" };
    if (hasErrorCode(error, "rate_limited")) return { outcome: "limited", limitEnd: limitEndOf(error) };
    return { outcome: hasErrorCode(error, "invalid_report") ? "invalid" : "failed" };
  }
}

/** A session that is over makes no report fail: it needs none. */
async function sendAsUser({ request, send, session }: ReportApi, init: RequestInit): Promise<unknown> {
  const { user } = session.current();
  try {
    if (user) return await send(user.id, "/api/reports", init);
  } catch (error) {
    if (!(error instanceof SignedOutError)) throw error;
  }
  return request("/api/reports", { ...init, signal: withTimeLimit(undefined, TIMEOUT) });
}
