import { type ReactNode, useId } from "react";
import { type Interaction, interactions } from "../../domain/review.ts";
import { options } from "./review-texts.ts";

interface InteractionFieldProps {
  interaction: Interaction;
  onChange: (interaction: Interaction) => void;
  /** A hint under the question. */
  children?: ReactNode;
  /** What stands under the hint. */
  action?: ReactNode;
}

/** The question, with the three interactions as radio buttons and their meanings. */
export function InteractionField({ interaction, onChange, children, action }: InteractionFieldProps) {
  const noteId = useId();
  return (
    <fieldset className="review-answers" aria-describedby={children ? noteId : undefined}>
      <legend>Did this show involve audience interaction?</legend>
      {children && (
        <p id={noteId} className="review-earlier">
          {children}
        </p>
      )}
      {action}
      {interactions.map((option) => (
        <Option
          key={option}
          interaction={option}
          chosen={option === interaction}
          onChoose={() => onChange(option)}
        />
      ))}
    </fieldset>
  );
}

function Option({
  interaction,
  chosen,
  onChoose,
}: {
  interaction: Interaction;
  chosen: boolean;
  onChoose: () => void;
}) {
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
        // A repeated or held Enter that opened the dialog must not submit the empty form (docs/product.md
        // §5.8).
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        aria-describedby={`${id}meaning`}
      />
      <label htmlFor={id}>{label}</label>
      <p id={`${id}meaning`}>{meaning}</p>
    </div>
  );
}
