import type { Interaction } from "../domain/review.ts";
import { type ShowQuery, writeShowQuery } from "../domain/show-query.ts";

/** The address of a part of the list on this site. */
export function addressOf(query: ShowQuery): string {
  const params = writeShowQuery(query).toString();
  return params ? `/?${params}` : "/";
}

/** The query with an answer chosen, or no longer chosen when it was; from its first page. */
export function toggleInteraction(query: ShowQuery, toggled: Interaction): ShowQuery {
  const interaction = query.interaction.includes(toggled)
    ? query.interaction.filter((chosen) => chosen !== toggled)
    : [...query.interaction, toggled];
  return { ...query, interaction, page: 1 };
}

interface SearchStep {
  replace: boolean;
  state: unknown;
}

/**
 * How a search goes into the history: its first keystroke adds an entry and the next ones replace it, so that Back gives
 * the list as it was before searching (docs/product.md §2.12). Asking for what is shown already adds nothing.
 */
export function searchStep(here: { address: string; state: unknown }, to: string): SearchStep {
  const again = to === here.address;
  const state = again ? here.state : searching;
  return { replace: again || isSearching(here.state), state };
}

const searching = { searching: true };

/** True for the state of a history entry that typing a search made. */
export function isSearching(state: unknown): boolean {
  return typeof state === "object" && state !== null && "searching" in state;
}
