import { useId, useState } from "react";

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
        onChange={(event) => setLength(event.target.value.length)}
        aria-describedby={`${id}counter`}
      />
      <p id={`${id}counter`} className="field-counter">
        {import.meta.env.SSR ? `At most ${max} characters` : `${length}/${max} characters`}
      </p>
    </>
  );
}
