import { answers, type Tallies } from "../reviews/review.ts";
import type { ListedShow, ShowPage } from "./show.ts";

/**
 * The page of the list in an answer of `GET /api/shows`.
 * @throws TypeError when it is anything else: a captive portal's or a proxy's answer, say
 */
export function readShowPage(value: unknown): ShowPage {
  const page = record(value);
  return {
    year: count(page.year),
    page: count(page.page),
    page_size: count(page.page_size),
    total: count(page.total),
    shows: list(page.shows).map(readShow),
  };
}

function readShow(value: unknown): ListedShow {
  const show = record(value);
  return {
    id: text(show.id),
    title: text(show.title),
    website: show.website === null ? null : webAddress(text(show.website)),
    artist: textOrNull(show.artist),
    venue_name: textOrNull(show.venue_name),
    genre: textOrNull(show.genre),
    description: textOrNull(show.description),
    year: count(show.year),
    status: show.status === "cancelled" ? "cancelled" : "active",
    ...(show.reviews !== undefined && { reviews: readTallies(show.reviews) }),
  };
}

function readTallies(value: unknown): Tallies {
  const tallies = record(value);
  const [no, very_little, yes] = answers.map((answer) => count(tallies[answer]));
  return { no: no ?? 0, very_little: very_little ?? 0, yes: yes ?? 0, latest_at: textOrNull(tallies.latest_at) };
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unexpected("an object", value);
  return { ...value };
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw unexpected("a list", value);
  return value;
}

function text(value: unknown): string {
  if (typeof value !== "string") throw unexpected("a text", value);
  return value;
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : text(value);
}

function count(value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) throw unexpected("a count", value);
  return value;
}

/** Only ever a link that opens a web page. */
function webAddress(value: string): string {
  if (!/^https?:\/\//i.test(value)) throw unexpected("a web address", value);
  return value;
}

function unexpected(wanted: string, found: unknown): TypeError {
  return new TypeError(
    `The answer is not a list of shows: ${wanted} was expected, not ${JSON.stringify(found)?.slice(0, 80)}`,
  );
}
