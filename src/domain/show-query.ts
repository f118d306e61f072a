import { isBlank } from "./blank.ts";
import { type Declared, declarations } from "./declared.ts";
import { type Interaction, interactions } from "./review.ts";

/** In UTF-16 code units (docs/product.md §2.4). */
export const MAX_SEARCH = 100;

/** In UTF-16 code units, like the stored ones (docs/product.md §7.6). */
export const MAX_GENRE = 300;

/** Of the reviews of a show with many of them (docs/product.md §2.20). */
export const yesFilters = ["none", "most"] as const;

/**
 * `search` is clean. `interaction` has no duplicates and the order of `interactions`. `page` starts at 1.
 * With `show`, the list has that show alone, and all fields but `notes` have their defaults. With `notes`, too,
 * the page has all notes of the show for the interaction `notes`.
 */
export interface ShowQuery {
  search: string;
  interaction: Interaction[];
  declared?: Declared | undefined;
  yes?: (typeof yesFilters)[number] | undefined;
  /** As the festival spells it (docs/product.md §2.23). */
  genre?: string | undefined;
  page: number;
  show?: string | undefined;
  notes?: Interaction | undefined;
}

const loneSurrogates = /\p{Surrogate}/gu;

/** In UTF-16 code units. Bounds the work for a long search. */
const MAX_PARSED = 1_000;

/**
 * Removes script elements, stray script tags and NUL, trims, and cuts to `MAX_SEARCH` without splitting a
 * surrogate pair. Empty when nothing visible is left. Idempotent (docs/product.md §2.5).
 */
export function cleanSearch(text: string): string {
  const whole = stripScripts(
    text.slice(0, MAX_PARSED).replace(loneSurrogates, "\ufffd").replaceAll("\0", ""),
  ).trim();
  const trimmed = whole.length > MAX_SEARCH ? shortAddress(whole) : whole;
  const cut = trimmed.slice(0, MAX_SEARCH);
  const clean = cut.replace(loneSurrogates, "").trimEnd();
  return isBlank(clean) ? "" : clean;
}

export const webAddress = /https?:\/\/[^\s<>"]+/i;

/** What others add to an address to count visits. */
export const tracking = /([?&])(?:utm_|_g[al]=|mc_[ce]id=|[a-z]*clk?id=|[gw]braid=|igsh=)[^&#]*/gi;

/** Of a long text with an address, the address remains, so that it is whole (docs/product.md §2.24). */
function shortAddress(text: string): string {
  return webAddress.exec(text)?.[0].replace(tracking, "$1").replace(/#.*/, "") ?? text;
}

const scriptElementOrTag = /<script\b[^>]*>(?:.*?<\/script\b[^>]*>)?|<\/script\b[^>]*>/is;

/** One at a time: a removal may join the halves of another tag. */
function stripScripts(text: string): string {
  const stripped = text.replace(scriptElementOrTag, "");
  return stripped === text ? text : stripScripts(stripped);
}

/** Invalid values fall back to their defaults (docs/product.md §2.11). */
export function parseShowQuery(params: URLSearchParams): ShowQuery {
  const page = parsePageNumber(params.get("page") ?? "1") ?? 1;
  const show = params.get("show");
  if (show) {
    const notes = interactions.find((interaction) => interaction === params.get("notes"));
    return { ...showQuery(show), ...(notes && { notes, page }) };
  }
  const chosen = params.getAll("interaction");
  return {
    // An app that shares an address may name it apart from its text (public/site.webmanifest).
    search: cleanSearch(params.get("url") || params.get("search") || ""),
    interaction: interactions.filter((interaction) => chosen.includes(interaction)),
    declared: declarations.find((declared) => declared === params.get("announced")),
    yes: yesFilters.find((yes) => yes === params.get("yes")),
    genre: parseGenre(params.get("genre")),
    page,
  };
}

function parseGenre(text: string | null): string | undefined {
  const genre = text?.slice(0, MAX_GENRE).replace(loneSurrogates, "\ufffd").replaceAll("\0", "").trim();
  return genre && !isBlank(genre) ? genre : undefined;
}

export const wholeList: ShowQuery = { search: "", interaction: [], page: 1 };

/** docs/product.md §2.21 */
export function showQuery(id: string): ShowQuery {
  return { ...wholeList, show: id };
}

export function showUrl(id: string): string {
  return `/?${formatShowQuery(showQuery(id))}`;
}

/** docs/product.md §4.8 */
export function notesUrl(show: string, notes: Interaction, page = 1): string {
  return `/?${formatShowQuery({ ...showQuery(show), notes, page })}`;
}

/** Null unless it is a whole number from 1 in digits. Caps at the largest safe integer. */
export function parsePageNumber(text: string): number | null {
  const page = /^\d+$/.test(text) ? Number(text) : 0;
  return page >= 1 ? Math.min(page, Number.MAX_SAFE_INTEGER) : null;
}

/** In canonical order and without defaults: one list has one URL (docs/product.md §2.11). */
export function formatShowQuery(query: ShowQuery): URLSearchParams {
  const { search, interaction, declared, yes, genre, page, show, notes } = query;
  const params = new URLSearchParams();
  if (search) params.set("search", search);
  for (const option of interactions) if (interaction.includes(option)) params.append("interaction", option);
  if (declared) params.set("announced", declared);
  if (yes) params.set("yes", yes);
  if (genre) params.set("genre", genre);
  if (show !== undefined) params.set("show", show);
  if (notes) params.set("notes", notes);
  if (page > 1) params.set("page", String(page));
  return params;
}
