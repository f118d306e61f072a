import { useLocation } from "react-router";
import { ReportFields } from "./report-fields.tsx";

/** Reports a note without scripts, on the page of its show, to which the form leads back. */
export function ReportForm({ noteId }: { noteId: string }) {
  const { search } = useLocation();
  return (
    <details className="report-form">
      <summary>Report</summary>
      <form className="dialog-content stack" method="post" action={`/api/reports${search}`}>
        <input type="hidden" name="note_id" value={noteId} />
        <ReportFields />
        <button type="submit" className="button fit">
          Send
        </button>
      </form>
    </details>
  );
}
