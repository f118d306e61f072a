import { formatShowQuery, type ShowQuery } from "../domain/show-query.ts";
import { hasMembers } from "../lib/has-members.ts";

export function listUrl(query: ShowQuery): string {
  const params = formatShowQuery(query).toString();
  return params ? `/?${params}` : "/";
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
  return hasMembers(state, "searching");
}
