import { useId, useState } from "react";
import { toPlainText } from "../domain/text.ts";

interface CountedTextProps {
  label: string;
  name: string;
  text?: string | undefined;
  max: number;
  required?: boolean;
}

/** A page without scripts cannot count. */
export function CountedText({ label, name, text = "", max, required }: CountedTextProps) {
  const id = useId();
  const [length, setLength] = useState(text.length);
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        defaultValue={text}
        rows={3}
        dir="auto"
        required={required}
        maxLength={max}
        onChange={(event) => setLength(cleanField(event.target).length)}
        aria-describedby={`${id}counter`}
      />
      <p id={`${id}counter`} className="field-counter">
        {import.meta.env.SSR ? `At most ${max} characters` : `${length}/${max} characters`}
      </p>
    </>
  );
}

/** Counters count what is sent. Pasted text may have characters that are not. */
export function cleanField(field: HTMLTextAreaElement): string {
  const { value, selectionEnd } = field;
  const clean = toPlainText(value);
  if (clean === value) return value;
  field.value = clean;
  const caret = toPlainText(value.slice(0, selectionEnd)).length;
  field.setSelectionRange(caret, caret);
  return clean;
}
