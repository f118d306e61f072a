import { interactionLabels, interactionMeanings, interactions } from "../../domain/review.ts";

export function InteractionMeanings() {
  return (
    <dl className="meanings stack">
      {interactions.map((interaction) => (
        <div key={interaction} data-interaction={interaction}>
          <dt>{interactionLabels[interaction]}</dt>
          <dd className="meaning">{interactionMeanings[interaction]}</dd>
        </div>
      ))}
    </dl>
  );
}
