import { type Announced, announcements } from "./announced.ts";
import { isBlank } from "./blank-text.ts";
import { type Interaction, interactions } from "./review.ts";
import { stripScripts } from "./strip-scripts.ts";

/** The longest search text, in UTF-16 code units (docs/product.md §2.4). */
export const MAX_SEARCH = 100;

/**
 * Which part of the list is requested. `search` is clean, `interaction` has no duplicates and the order of
 * `interactions`, `page` starts at 1. Without `announced`, all listings count. With `show`, the list is that
 * one show, and all else has its default.
 */
export interface ShowQuery {
  search: string;
  interaction: Interaction[];
  announced?: Announced | undefined;
  page: number;
  /** The id of a show, which may be unknown. */
  show?: string | undefined;
}

/** Half of a surrogate pair, which is no character. */
const loneSurrogates = /\p{Surrogate}/gu;

/** How many UTF-16 code units of a search are parsed. It bounds the work for a long one. */
const MAX_PARSED = 1_000;

/**
 * Normalises a search text: removes script elements, stray script tags and NUL, trims it, and cuts it to
 * `MAX_SEARCH` without splitting a surrogate pair. Empty when nothing visible is left. Idempotent
 * (docs/product.md §2.5).
 */
export function cleanSearch(text: string): string {
  const trimmed = stripScripts(
    text.slice(0, MAX_PARSED).replace(loneSurrogates, "\ufffd").replaceAll("\0", ""),
  ).trim();
  const cut = trimmed.slice(0, MAX_SEARCH);
  const clean = cut.replace(loneSurrogates, "").trimEnd();
  return isBlank(clean) ? "" : clean;
}

/** Parses the query of a page's URL. Invalid values fall back to their defaults (docs/product.md §2.11). */
export function parseShowQuery(params: URLSearchParams): ShowQuery {
  const show = params.get("show");
  if (show) return showQuery(show);
  const chosen = params.getAll("interaction");
  return {
    search: cleanSearch(params.get("search") ?? ""),
    interaction: interactions.filter((interaction) => chosen.includes(interaction)),
    announced: announcements.find((announced) => announced === params.get("announced")),
    page: parsePageNumber(params.get("page") ?? "1") ?? 1,
  };
}

/** The query for one show (docs/product.md §2.21). */
export function showQuery(id: string): ShowQuery {
  return { search: "", interaction: [], page: 1, show: id };
}

/** The site-relative URL of the page of one show. */
export function showUrl(id: string): string {
  return `/?${formatShowQuery(showQuery(id))}`;
}

/** Parses a page number: plain digits, at least 1, else null. Caps it at the largest safe integer. */
export function parsePageNumber(text: string): number | null {
  const page = /^\d+$/.test(text) ? Number(text) : 0;
  return page >= 1 ? Math.min(page, Number.MAX_SAFE_INTEGER) : null;
}

/**
 * Formats a query as URL parameters, in canonical order and without defaults: one list has one URL
 * (docs/product.md §2.11).
 */
export function formatShowQuery({ search, interaction, announced, page, show }: ShowQuery): URLSearchParams {
  if (show !== undefined) return new URLSearchParams({ show });
  const params = new URLSearchParams();
  if (search) params.set("search", search);
  for (const option of interactions) if (interaction.includes(option)) params.append("interaction", option);
  if (announced) params.set("announced", announced);
  if (page > 1) params.set("page", String(page));
  return params;
}
