import { useId } from "react";
import { type Interaction, NOTES_MAX } from "../../domain/review.ts";
import { notesHint, tooLongMessage } from "./review-texts.ts";

/** The counter warns above this length (docs/product.md §5.5). */
const WARNING_ABOVE = 900;

interface NotesFieldProps {
  /** The chosen answer, which decides what the hint asks for. */
  interaction: Interaction;
  notes: string;
  readOnly: boolean;
  onChange: (notes: string) => void;
}

/** The notes with their live counter, which is announced only above the warning level. */
export function NotesField({ interaction, notes, readOnly, onChange }: NotesFieldProps) {
  const id = useId();
  const [counterId, hintId, errorId] = [`${id}counter`, `${id}hint`, `${id}error`];
  const tooLong = notes.length > NOTES_MAX;
  const warning = notes.length > WARNING_ABOVE;
  return (
    <div className="review-notes">
      <label htmlFor={id}>Additional notes (optional)</label>
      <textarea
        id={id}
        rows={4}
        dir="auto"
        maxLength={NOTES_MAX}
        value={notes}
        readOnly={readOnly}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={tooLong || undefined}
        aria-describedby={`${tooLong ? `${errorId} ` : ""}${counterId} ${hintId}`}
      />
      <p
        id={counterId}
        className="review-counter"
        data-warning={warning || undefined}
        aria-live={warning ? "polite" : "off"}
      >
        {`${notes.length}/${NOTES_MAX} characters`}
      </p>
      <p id={errorId} className="review-error" aria-live="polite">
        {tooLong && tooLongMessage}
      </p>
      <p id={hintId} className="review-hint">
        {notesHint(interaction)}
      </p>
    </div>
  );
}
