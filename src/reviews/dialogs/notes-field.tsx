import { useEffect, useId, useState } from "react";
import { type Interaction, NOTES_MAX } from "../../domain/review.ts";
import { cleanField } from "../../ui/counted-text.tsx";
import { notesHint, tooLongMessage } from "../state/review-texts.ts";

const WARNING_ABOVE = 900;

/** In ms: announcing every number would be noise. */
const ANNOUNCE_AFTER = 1_000;

interface NotesFieldProps {
  interaction: Interaction;
  notes: string;
  readOnly: boolean;
  onChange: (notes: string) => void;
}

/** Typing ends at the limit. Pasted text stays whole, and its author shortens it (docs/product.md §5.6). */
export function NotesField({ interaction, notes, readOnly, onChange }: NotesFieldProps) {
  const id = useId();
  const [counterId, hintId, errorId] = [`${id}counter`, `${id}hint`, `${id}error`];
  const tooLong = notes.length > NOTES_MAX;
  const warning = notes.length > WARNING_ABOVE;
  const counter = `${notes.length}/${NOTES_MAX} characters`;
  const announced = useAfterPause(counter);
  return (
    <div className="field">
      <label htmlFor={id}>Additional notes (optional)</label>
      <textarea
        ref={limitTyping}
        id={id}
        rows={4}
        dir="auto"
        maxLength={NOTES_MAX}
        value={notes}
        readOnly={readOnly}
        onChange={(event) => onChange(cleanField(event.target))}
        aria-invalid={tooLong || undefined}
        aria-describedby={`${tooLong ? `${errorId} ` : ""}${counterId} ${hintId}`}
      />
      <p id={counterId} className="field-counter" data-warning={warning || undefined}>
        {counter}
      </p>
      <p className="sr-only" aria-live="polite">
        {warning && announced}
      </p>
      <p id={errorId} className="field-error" aria-live="polite">
        {tooLong && tooLongMessage}
      </p>
      <p id={hintId} className="field-hint">
        {notesHint(interaction)}
      </p>
    </div>
  );
}

const notTyped = /^insertFrom|^insertReplacement|^history/;

/** Removes `maxlength` before input that was not typed: the browser would cut it. */
function limitTyping(field: HTMLTextAreaElement | null): void {
  field?.addEventListener("beforeinput", ({ inputType }) => {
    if (notTyped.test(inputType)) field.removeAttribute("maxlength");
    else field.maxLength = NOTES_MAX;
  });
}

function useAfterPause(text: string): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ANNOUNCE_AFTER);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
