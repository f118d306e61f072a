import { type Announced, announcements } from "./announced.ts";
import { type Interaction, interactions, isBlank } from "./review.ts";

/** In UTF-16 code units (docs/product.md §2.4). */
export const MAX_SEARCH = 100;

/**
 * `search` is clean, `interaction` has no duplicates and the order of `interactions`, `page` starts at 1.
 * With `show`, the list is that one show, and all else has its default.
 */
export interface ShowQuery {
  search: string;
  interaction: Interaction[];
  announced?: Announced | undefined;
  page: number;
  show?: string | undefined;
}

const loneSurrogates = /\p{Surrogate}/gu;

/** In UTF-16 code units. Bounds the work for a long search. */
const MAX_PARSED = 1_000;

/**
 * Removes script elements, stray script tags and NUL, trims, and cuts to `MAX_SEARCH` without splitting a
 * surrogate pair. Empty when nothing visible is left. Idempotent (docs/product.md §2.5).
 */
export function cleanSearch(text: string): string {
  const trimmed = stripScripts(
    text.slice(0, MAX_PARSED).replace(loneSurrogates, "\ufffd").replaceAll("\0", ""),
  ).trim();
  const cut = trimmed.slice(0, MAX_SEARCH);
  const clean = cut.replace(loneSurrogates, "").trimEnd();
  return isBlank(clean) ? "" : clean;
}

const scriptElementOrTag = /<script\b[^>]*>(?:.*?<\/script\b[^>]*>)?|<\/script\b[^>]*>/is;

/** One at a time: removing a tag may join the halves of another one. */
function stripScripts(text: string): string {
  const stripped = text.replace(scriptElementOrTag, "");
  return stripped === text ? text : stripScripts(stripped);
}

/** Invalid values fall back to their defaults (docs/product.md §2.11). */
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

/** docs/product.md §2.21 */
export function showQuery(id: string): ShowQuery {
  return { search: "", interaction: [], page: 1, show: id };
}

export function showUrl(id: string): string {
  return `/?${formatShowQuery(showQuery(id))}`;
}

/** Null for anything but plain digits from 1. Caps at the largest safe integer. */
export function parsePageNumber(text: string): number | null {
  const page = /^\d+$/.test(text) ? Number(text) : 0;
  return page >= 1 ? Math.min(page, Number.MAX_SAFE_INTEGER) : null;
}

/** In canonical order and without defaults: one list has one URL (docs/product.md §2.11). */
export function formatShowQuery({ search, interaction, announced, page, show }: ShowQuery): URLSearchParams {
  if (show !== undefined) return new URLSearchParams({ show });
  const params = new URLSearchParams();
  if (search) params.set("search", search);
  for (const option of interactions) if (interaction.includes(option)) params.append("interaction", option);
  if (announced) params.set("announced", announced);
  if (page > 1) params.set("page", String(page));
  return params;
}
