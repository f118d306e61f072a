import type { Interaction } from "../domain/review.ts";
import { formatShowQuery, type ShowQuery } from "../domain/show-query.ts";

export function listUrl(query: ShowQuery): string {
  const params = formatShowQuery(query).toString();
  return params ? `/?${params}` : "/";
}

/** docs/product.md §2.8, §2.10 */
export function toggleInteraction(query: ShowQuery, toggled: Interaction): ShowQuery {
  const interaction = query.interaction.includes(toggled)
    ? query.interaction.filter((chosen) => chosen !== toggled)
    : [...query.interaction, toggled];
  return { ...query, interaction, page: 1 };
}

/** docs/product.md §2.20 */
export function toggleDeclared(query: ShowQuery): ShowQuery {
  return { ...query, declared: query.declared === "yes" ? undefined : "yes", page: 1 };
}

/** docs/product.md §2.20 */
export function toggleYes(query: ShowQuery, toggled: NonNullable<ShowQuery["yes"]>): ShowQuery {
  return { ...query, yes: query.yes === toggled ? undefined : toggled, page: 1 };
}

/**
 * The first keystroke of a search adds a history entry and the next ones replace it, so that Back returns to
 * the list before the search (docs/product.md §2.12).
 */
export function searchNavigation(current: { url: string; state: unknown }, to: string) {
  const isSame = to === current.url;
  const state = isSame ? current.state : searching;
  return { replace: isSame || isSearching(current.state), state };
}

const searching = { searching: true };

export function isSearching(state: unknown): boolean {
  return typeof state === "object" && state !== null && "searching" in state;
}
