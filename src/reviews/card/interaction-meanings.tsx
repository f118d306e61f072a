import { interactionLabels, interactionMeanings, interactions } from "../../domain/review.ts";

/** docs/product.md §1.6 */
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
