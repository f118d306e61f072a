import { type Interaction, interactions } from "./review.ts";
import { stripScripts } from "./strip-scripts.ts";

/** The longest search text, in UTF-16 code units (docs/product.md §2.4). */
export const MAX_SEARCH = 100;

/**
 * Which part of the list is requested. `search` is clean, `interaction` has no duplicates and the order of
 * `interactions`, `page` starts at 1.
 */
export interface ShowQuery {
  search: string;
  interaction: Interaction[];
  page: number;
}

/** Characters of a search that are read: the rest of a longer one is ignored. */
const MAX_READ = 1_000;

/**
 * A search text as it is searched for: without script elements, stray script tags and white space around it, cut to
 * 100 characters without splitting one. NUL, which no stored text can hold, is left out. Cleaning a clean text changes
 * nothing (docs/product.md §2.5).
 */
export function cleanSearch(text: string): string {
  const trimmed = stripScripts(text.slice(0, MAX_READ).toWellFormed().replaceAll("\0", "")).trim();
  const cut = trimmed.slice(0, MAX_SEARCH);
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd();
}

/** The query in a page's URL. What makes no sense falls back to its default (docs/product.md §2.11). */
export function readShowQuery(params: URLSearchParams): ShowQuery {
  const chosen = params.getAll("interaction");
  return {
    search: cleanSearch(params.get("search") ?? ""),
    interaction: interactions.filter((interaction) => chosen.includes(interaction)),
    page: readPage(params.get("page") ?? "1") ?? 1,
  };
}

/** A page number in plain digits from 1, or null. A larger one than JavaScript counts exactly is the largest safe one. */
export function readPage(text: string): number | null {
  const page = /^\d+$/.test(text) ? Number(text) : 0;
  return page >= 1 ? Math.min(page, Number.MAX_SAFE_INTEGER) : null;
}

/** The query as URL parameters, in one order and with defaults left out, so that one list has one address. */
export function writeShowQuery({ search, interaction, page }: ShowQuery): URLSearchParams {
  const params = new URLSearchParams();
  if (search) params.set("search", search);
  for (const option of interactions) if (interaction.includes(option)) params.append("interaction", option);
  if (page > 1) params.set("page", String(page));
  return params;
}
