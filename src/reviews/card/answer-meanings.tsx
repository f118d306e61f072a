import { interactionLabels, interactionMeanings, interactions } from "../../domain/review.ts";

/** docs/product.md §1.6 */
export function AnswerMeanings() {
  return (
    <dl className="meanings stack">
      {interactions.map((interaction) => (
        <div key={interaction} data-answer={interaction}>
          <dt>{interactionLabels[interaction]}</dt>
          <dd className="meaning">{interactionMeanings[interaction]}</dd>
        </div>
      ))}
    </dl>
  );
}
