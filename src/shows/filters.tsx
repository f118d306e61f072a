import { Form } from "react-router";
import { answers } from "../domain/review.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { HiddenQuery } from "./hidden-query.tsx";
import { filterNames } from "./list-texts.ts";
import { toggleAnswer } from "./list-url.ts";

/** The filter buttons: each is a form that asks for the list with its answer chosen or given up. */
export function Filters({ query }: { query: ShowQuery }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot stand beside its buttons
    <div role="group" aria-labelledby="filter-label" className="filters">
      <p id="filter-label">Filter by audience interaction:</p>
      <Filter name="All Shows" pressed={query.interaction.length === 0} next={{ ...query, interaction: [], page: 1 }} />
      {answers.map((answer) => (
        <Filter
          key={answer}
          name={filterNames[answer]}
          answer={answer}
          pressed={query.interaction.includes(answer)}
          next={toggleAnswer(query, answer)}
        />
      ))}
    </div>
  );
}

interface FilterProps {
  name: string;
  answer?: string;
  pressed: boolean;
  /** What pressing it asks for. */
  next: ShowQuery;
}

function Filter({ name, answer, pressed, next }: FilterProps) {
  return (
    <Form action="/" preventScrollReset>
      <HiddenQuery query={next} />
      <button type="submit" className="filter-button" aria-pressed={pressed} data-answer={answer}>
        {name}
      </button>
    </Form>
  );
}
