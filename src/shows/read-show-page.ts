import { readTallies } from "../domain/review.ts";
import type { ListedShow, ShowPage } from "../domain/show.ts";
import { count, list, record, text, textOrNull, unexpected } from "../json.ts";

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

/** Only ever a link that opens a web page. */
function webAddress(value: string): string {
  if (!/^https?:\/\//i.test(value)) throw unexpected("a web address", value);
  return value;
}
