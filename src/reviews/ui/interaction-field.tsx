import { type ReactNode, useId } from "react";
import { type Interaction, interactions } from "../../domain/review.ts";
import { options } from "./review-texts.ts";

interface InteractionFieldProps {
  interaction: Interaction;
  onChange: (interaction: Interaction) => void;
  /** What there is to know before answering. */
  children?: ReactNode;
}

/** The question, and the three answers with what they mean. */
export function InteractionField({ interaction, onChange, children }: InteractionFieldProps) {
  const noteId = useId();
  return (
    <fieldset className="review-answers" aria-describedby={children ? noteId : undefined}>
      <legend>Did this show involve audience interaction?</legend>
      {children && (
        <p id={noteId} className="review-earlier">
          {children}
        </p>
      )}
      {interactions.map((option) => (
        <Option key={option} interaction={option} chosen={option === interaction} onChoose={() => onChange(option)} />
      ))}
    </fieldset>
  );
}

function Option({ interaction, chosen, onChoose }: { interaction: Interaction; chosen: boolean; onChoose: () => void }) {
  const id = useId();
  const { label, meaning } = options[interaction];
  return (
    <div className="review-answer" data-answer={interaction}>
      <input
        type="radio"
        id={id}
        name="audience_interaction"
        value={interaction}
        checked={chosen}
        onChange={onChoose}
        // Enter opened the dialog; pressed once too often, or held, it must not send a review that nobody has filled in.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        aria-describedby={`${id}meaning`}
      />
      <label htmlFor={id}>{label}</label>
      <p id={`${id}meaning`}>{meaning}</p>
    </div>
  );
}
