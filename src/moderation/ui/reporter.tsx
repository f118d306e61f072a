import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import { ReportDialog } from "./report-dialog.tsx";
import { outcomeToast, reportTopic } from "./report-texts.ts";
import { type ReportApi, sendReport } from "./send-report.ts";

interface ReporterProps {
  note: { id: string; text: string };
  /** Gets the focus once the report is sent or cancelled. */
  button: HTMLElement;
  api: ReportApi;
  onClosed: () => void;
}

/** The dialog that reports a note, with its outcomes. */
export function Reporter({ note, button, api, onClosed }: ReporterProps) {
  const showToast = useToast();
  const dismissFailure = useDismissFailure();

  async function send(fields: FormData): Promise<boolean> {
    dismissFailure(reportTopic);
    const report = await sendReport(api, note.id, fields);
    if (report.outcome !== "sent") showToast(outcomeToast(report));
    return report.outcome === "sent";
  }

  function close(): void {
    onClosed();
    dismissFailure(reportTopic);
    // Safari does not focus a clicked button, so the dialog cannot restore the focus by itself.
    button.focus();
  }

  return (
    <ReportDialog
      note={note}
      userId={api.session.current().user?.id ?? null}
      send={send}
      // Once the dialog is gone: in it, too, the toast would be announced.
      onSent={() => setTimeout(showToast, 0, outcomeToast({ outcome: "sent" }))}
      onClosed={close}
    />
  );
}
