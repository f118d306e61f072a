import { type FormEvent, useId, useState } from "react";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { OBJECTION_MAX } from "../../domain/report.ts";
import type { OwnReview } from "../../domain/review-dto.ts";
import { objectionSent, rules } from "./own-reviews-texts.ts";

interface HiddenNotesProps {
  hidden: NonNullable<OwnReview["hidden"]>;
  /** The id of the review's title. */
  titleId: string;
  /** Sends an objection. Resolves when its outcome is known. */
  object: (text: string) => Promise<void>;
}

/** Under which rule the user's notes are hidden, and the one objection to it (docs/product.md §13.14). */
export function HiddenNotes({ hidden: { rule, objection }, titleId, object }: HiddenNotesProps) {
  return (
    <div className="callout own-hidden stack">
      <p>
        <strong>Others can't see these notes.</strong> The rule: {rules[rule]} Your answer still counts.
      </p>
      {objection === "sent" && <p>{objectionSent}</p>}
      {objection === "possible" && (
        <details>
          <summary aria-describedby={titleId}>Object</summary>
          <ObjectionForm object={object} />
        </details>
      )}
    </div>
  );
}

function ObjectionForm({ object }: Pick<HiddenNotesProps, "object">) {
  const id = useId();
  const [text, setText] = useState("");
  const [busy, run] = useSingleFlight();

  function submit(event: FormEvent): void {
    event.preventDefault();
    run(() => object(text));
  }

  return (
    <form className="field" onSubmit={submit}>
      <label htmlFor={id}>Why should they be shown? You can object once.</label>
      <textarea
        id={id}
        rows={3}
        dir="auto"
        required
        maxLength={OBJECTION_MAX}
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-describedby={`${id}counter`}
      />
      <p id={`${id}counter`} className="field-counter">
        {`${text.length}/${OBJECTION_MAX} characters`}
      </p>
      <button type="submit" className="button fit" aria-disabled={busy || undefined}>
        {busy ? "Sending..." : "Send objection"}
      </button>
    </form>
  );
}
