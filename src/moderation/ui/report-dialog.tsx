import { type FormEvent, useId, useRef, useState } from "react";
import { createDraft } from "../../browser/drafts-client.ts";
import { type ApiRequest, withTimeLimit } from "../../browser/requests/api-request-client.ts";
import {
  asJson,
  SEND_TIMEOUT,
  type SignedInRequest,
  SignedOutError,
  type UserSession,
} from "../../browser/requests/signed-in-request.ts";
import { useFailureToast } from "../../browser/requests/use-failure-toast.ts";
import { useModal } from "../../browser/use-modal.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { reportResponse } from "../../domain/report.ts";
import { shownText } from "../../domain/shown-text.ts";
import { DialogToasts } from "../../ui/dialog-toasts.tsx";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import { ReportFields } from "./report-fields.tsx";
import { noteReported, reportFailed, reportTopic } from "./report-texts.ts";

interface ReportApi {
  request: ApiRequest;
  send: SignedInRequest;
  session: UserSession;
}

interface ReportDialogProps {
  note: { id: string; text: string };
  api: ReportApi;
  onReported: () => void;
  onClosed: () => void;
}

/** It is open while it is mounted (docs/product.md §13.4). */
export function ReportDialog({ note, api, onReported, onClosed }: ReportDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const orToast = useFailureToast(reportTopic);
  const [busy, run] = useSingleFlight();
  const [draft] = useState(() => createDraft(api.session.current().user?.id ?? "", `report ${note.id}`));
  const [[reason, text]] = useState(draft.read);
  const close = useModal(dialog, "input");

  function save({ currentTarget }: FormEvent<HTMLFormElement>): void {
    const fields = new FormData(currentTarget);
    draft.save(String(fields.get("reason") ?? ""), String(fields.get("text") ?? ""));
  }

  function cancel(): void {
    // A report in flight may still fail.
    if (!busy) draft.discard();
    void close();
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    void run(async () => {
      if (!(await orToast(() => sendReport(api, note.id, fields), reportFailed))) return;
      draft.discard();
      await close();
      onReported();
      // After the dialog has closed: otherwise the toast would be announced twice.
      setTimeout(showToast, 0, noteReported);
    });
  }

  function finish(): void {
    dismissFailure(reportTopic);
    onClosed();
  }

  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={finish}>
      <form onSubmit={submit} onChange={save}>
        <div className="dialog-content stack">
          <h2 id={titleId} className="dialog-title" tabIndex={-1}>
            Report a note
          </h2>
          <blockquote className="report-note clamped" dir="auto">
            {shownText(note.text)}
          </blockquote>
          <ReportFields reason={reason} text={text} />
        </div>
        <DialogToasts />
        <div className="dialog-actions row">
          <button type="button" className="button" onClick={cancel}>
            Cancel
          </button>
          <button type="submit" className="button button-strong" aria-disabled={busy || undefined}>
            {busy ? "Sending..." : "Send"}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Reports a note, as the signed-in user if there is one. @throws when it is not reported */
async function sendReport(api: ReportApi, noteId: string, fields: FormData): Promise<true> {
  const init = asJson("POST", { ...Object.fromEntries(fields), note_id: noteId });
  return reportResponse.parse(await sendAsUser(api, init)).reported;
}

/** After a session has ended, the report is sent without one. */
async function sendAsUser({ request, send, session }: ReportApi, init: RequestInit): Promise<unknown> {
  const { user } = session.current();
  try {
    if (user) return await send(user.id, "/api/reports", init);
  } catch (error) {
    if (!(error instanceof SignedOutError)) throw error;
  }
  return request("/api/reports", { ...init, signal: withTimeLimit(undefined, SEND_TIMEOUT) });
}
