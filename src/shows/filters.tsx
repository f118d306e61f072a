import { Form, Link } from "react-router";
import { interactions } from "../domain/review.ts";
import { formatShowQuery, type ShowQuery, wholeList } from "../domain/show-query.ts";
import { declaredNames, filterNames, keptLine, nobodySaidYes } from "./list-texts.ts";
import { listUrl, toggleDeclared, toggleInteraction, toggleNobody } from "./list-url.ts";

/** docs/product.md §2.8, §2.20 */
export function Filters({ query }: { query: ShowQuery }) {
  const unfiltered = { ...wholeList, search: query.search };
  return (
    <div className="filter-row">
      {/* Each button is a form, which works without JavaScript. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out beside its buttons */}
      <div role="group" aria-labelledby="filter-label" aria-describedby="filter-kept" className="filters">
        <p id="filter-label">Filter by audience interaction:</p>
        <Filter
          name="All Shows"
          pressed={listUrl({ ...query, page: 1 }) === listUrl(unfiltered)}
          next={unfiltered}
        />
        {interactions.map((interaction) => (
          <Filter
            key={interaction}
            name={filterNames[interaction]}
            interaction={interaction}
            pressed={query.interaction.includes(interaction)}
            next={toggleInteraction(query, interaction)}
          />
        ))}
      </div>
      <div className="filter-links row">
        <FilterLink name={declaredNames.yes} on={query.declared === "yes"} next={toggleDeclared(query)} />
        <FilterLink name={nobodySaidYes} on={query.yes === "none"} next={toggleNobody(query)} />
      </div>
      <p id="filter-kept">{keptLine(query.interaction)}</p>
    </div>
  );
}

function FilterLink({ name, on, next }: { name: string; on: boolean; next: ShowQuery }) {
  return (
    <Link to={listUrl(next)} className="filter-button" aria-current={on || undefined} preventScrollReset>
      {name}
    </Link>
  );
}

interface FilterProps {
  name: string;
  interaction?: string;
  pressed: boolean;
  next: ShowQuery;
}

function Filter({ name, interaction, pressed, next }: FilterProps) {
  return (
    <Form action="/" preventScrollReset>
      <HiddenQuery query={next} />
      <button
        type="submit"
        className={interaction ? "filter-button interaction-mark" : "filter-button"}
        aria-pressed={pressed}
        data-interaction={interaction}
      >
        {name}
      </button>
    </Form>
  );
}

export function HiddenQuery({ query }: { query: ShowQuery }) {
  return [...formatShowQuery(query)].map(([name, value]) => (
    <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
  ));
}
