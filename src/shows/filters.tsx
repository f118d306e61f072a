import { Form, Link } from "react-router";
import { interactions } from "../domain/review.ts";
import { formatShowQuery, type ShowQuery } from "../domain/show-query.ts";
import { announcedNames, filterNames } from "./list-texts.ts";
import { listUrl, toggleAnnounced, toggleInteraction } from "./list-url.ts";

/** Each button is a form, which works without JavaScript (docs/product.md §2.8). */
export function Filters({ query }: { query: ShowQuery }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out beside its buttons
    <div role="group" aria-labelledby="filter-label" className="filters">
      <p id="filter-label">Filter by audience interaction:</p>
      <Filter
        name="All Shows"
        pressed={query.interaction.length === 0}
        next={{ ...query, interaction: [], page: 1 }}
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
  );
}

/** docs/product.md §2.20 */
export function AnnouncedFilter({ query }: { query: ShowQuery }) {
  return (
    <p>
      <Link
        to={listUrl(toggleAnnounced(query))}
        className="filter-button"
        aria-current={query.announced === "yes" || undefined}
        preventScrollReset
      >
        {announcedNames.yes}
      </Link>
    </p>
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
        className={interaction ? "filter-button answer-mark" : "filter-button"}
        aria-pressed={pressed}
        data-answer={interaction}
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
