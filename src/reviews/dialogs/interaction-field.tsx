import { useId } from "react";
import { type Interaction, interactionMeanings, interactions } from "../../domain/review.ts";
import { optionLabels } from "../state/review-texts.ts";

interface InteractionFieldProps {
  interaction: Interaction;
  onChange: (interaction: Interaction) => void;
  /** Undefined without an earlier review. */
  reuseEarlier: (() => void) | undefined;
}

export function InteractionField({ interaction, onChange, reuseEarlier }: InteractionFieldProps) {
  const id = useId();
  return (
    <fieldset className="review-options" aria-describedby={reuseEarlier && id}>
      <legend>Did this show involve audience interaction?</legend>
      {reuseEarlier && (
        <>
          <p id={id} className="callout review-earlier">
            You have reviewed this show before. What you send now replaces your earlier review.
          </p>
          <button type="button" className="button fit" onClick={reuseEarlier}>
            Start from my earlier review
          </button>
        </>
      )}
      {interactions.map((option) => (
        <div key={option} className="review-option" data-interaction={option}>
          <input
            type="radio"
            id={`${id}${option}`}
            name="audience_interaction"
            value={option}
            checked={option === interaction}
            onChange={() => onChange(option)}
            // A repeated or held Enter that opened the dialog must not submit the empty form
            // (docs/product.md §5.8).
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
            aria-describedby={`${id}${option}-meaning`}
          />
          <label htmlFor={`${id}${option}`}>{optionLabels[option]}</label>
          <p id={`${id}${option}-meaning`} className="meaning">
            {interactionMeanings[option]}
          </p>
        </div>
      ))}
    </fieldset>
  );
}
