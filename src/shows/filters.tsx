import type { FocusEvent } from "react";
import { interactions } from "../domain/review.ts";
import { formatShowQuery, type ShowQuery, wholeList } from "../domain/show-query.ts";
import { Link } from "../ui/link.tsx";
import { declaredNames, filterNames, keptLine, moreKeptLine, yesNames } from "./list-texts.ts";
import { listUrl } from "./list-url.ts";

/** In their order (docs/product.md §2.20). */
const links = [
  { name: yesNames.none, filter: "yes", value: "none" },
  { name: yesNames.most, filter: "yes", value: "most" },
  { name: declaredNames.yes, filter: "declared", value: "yes" },
] as const;

/** docs/product.md §2.8, §2.20, §2.23. A changed filter leads to page 1 (§2.10). */
export function Filters({ query, isList }: { query: ShowQuery; isList: boolean }) {
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
        {interactions.map((interaction) => {
          const others = query.interaction.filter((chosen) => chosen !== interaction);
          const pressed = others.length < query.interaction.length;
          const next = { ...query, interaction: pressed ? others : [...others, interaction], page: 1 };
          return (
            <Filter key={interaction} {...{ name: filterNames[interaction], interaction, pressed, next }} />
          );
        })}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        role="group"
        aria-labelledby="more-label"
        aria-describedby="more-kept"
        className="filter-links"
        onFocus={showWhole}
      >
        <p id="more-label">More:</p>
        {/* First, so that a phone shows it without scrolling. */}
        {query.genre && (
          <FilterLink name={query.genre} on next={{ ...query, genre: undefined, page: 1 }} isRemovable />
        )}
        {links.map(({ name, filter, value }) => {
          const on = query[filter] === value;
          const next = { ...query, [filter]: on ? undefined : value, page: 1 };
          return <FilterLink key={name} name={name} on={on} next={next} />;
        })}
      </div>
      <p className="filter-kept">
        <span id="filter-kept">{keptLine(query.interaction)}</span>{" "}
        <span id="more-kept">{moreKeptLine(query)}</span>
        {isList && !keptLine(query.interaction) && !moreKeptLine(query) && "Most recently reviewed first."}
      </p>
    </div>
  );
}

/** Chromium does not scroll to a focused link of which a part is in view. */
function showWhole({ target }: FocusEvent<HTMLElement>): void {
  target.scrollIntoView({ block: "nearest", inline: "nearest" });
}

interface FilterLinkProps {
  name: string;
  on: boolean;
  next: ShowQuery;
  isRemovable?: boolean;
}

function FilterLink({ name, on, next, isRemovable }: FilterLinkProps) {
  return (
    <Link to={listUrl(next)} className="filter-button" aria-current={on || undefined} preventScrollReset>
      {isRemovable ? <bdi>{name}</bdi> : name}
      {isRemovable && <span aria-hidden="true">×</span>}
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
    <form action="/">
      <HiddenQuery query={next} />
      <button
        type="submit"
        className={interaction ? "filter-button interaction-mark" : "filter-button"}
        aria-pressed={pressed}
        data-interaction={interaction}
      >
        {name}
      </button>
    </form>
  );
}

export function HiddenQuery({ query }: { query: ShowQuery }) {
  return [...formatShowQuery(query)].map(([name, value]) => (
    <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
  ));
}
