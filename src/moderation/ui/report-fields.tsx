import { useLocation } from "react-router";
import { REPORT_TEXT_MAX, reasonLabels, reportReasons } from "../../domain/report.ts";
import { CountedText } from "../../ui/counted-text.tsx";

interface ReportFieldsProps {
  /** The reason in the draft, if the form has one. */
  reason?: string | undefined;
  text?: string | undefined;
}

export function ReportFields({ reason: chosen, text }: ReportFieldsProps) {
  return (
    <>
      <fieldset className="report-reasons">
        <legend>What is wrong with this note?</legend>
        {reportReasons.map((reason) => (
          <label key={reason}>
            <input type="radio" name="reason" value={reason} defaultChecked={reason === chosen} required />
            {reasonLabels[reason]}
          </label>
        ))}
      </fieldset>
      <div className="field">
        <CountedText label="Details (optional)" name="text" text={text} max={REPORT_TEXT_MAX} />
      </div>
    </>
  );
}

/** Works without scripts, on the page of the show, to which the form leads back. */
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
