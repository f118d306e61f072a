import { useId, useState } from "react";
import { REPORT_TEXT_MAX, reasonLabels, reportReasons } from "../../domain/report.ts";

interface ReportFieldsProps {
  /** What was chosen and typed before. */
  reason?: string | undefined;
  text?: string | undefined;
}

/** The fields of a report: its reason and details, in a dialog or in a form for browsers without scripts. */
export function ReportFields({ reason: chosen = "", text = "" }: ReportFieldsProps) {
  const id = useId();
  const [length, setLength] = useState(text.length);
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
        <label htmlFor={id}>Details (optional)</label>
        <textarea
          id={id}
          name="text"
          defaultValue={text}
          rows={3}
          dir="auto"
          maxLength={REPORT_TEXT_MAX}
          onChange={(event) => setLength(event.target.value.length)}
          aria-describedby={`${id}counter`}
        />
        <p id={`${id}counter`} className="field-counter">
          {import.meta.env.SSR
            ? `At most ${REPORT_TEXT_MAX} characters`
            : `${length}/${REPORT_TEXT_MAX} characters`}
        </p>
      </div>
    </>
  );
}
