import type { Tallies } from "./review.ts";

/** The one festival year that the site shows; sent to the festival's API explicitly (specification §9). */
export const YEAR = 2025;

/** Shows on one page of the list (specification §9). */
export const PAGE_SIZE = 20;

export type ShowStatus = "active" | "cancelled";

/** Whether a title is set smaller than others: 200 characters occur. */
export function isLong(title: string): boolean {
  return title.length > 80;
}

/** What visitors see of a show. The id is the festival's own; texts are plain text, never HTML. */
export interface Show {
  id: string;
  title: string;
  /** An `http(s)` URL, or null: then the title is plain text. */
  website: string | null;
  artist: string | null;
  venue_name: string | null;
  genre: string | null;
  description: string | null;
  year: number;
  status: ShowStatus;
}

/** A show in the list. Without `reviews` its tallies are unknown, which is not the same as having none. */
export interface ListedShow extends Show {
  reviews?: Tallies;
}

/** One page of the list, as `GET /api/shows` sends it. `page` is the page answered, which is the last one when a later one was asked for. */
export interface ShowPage {
  year: number;
  page: number;
  page_size: number;
  total: number;
  shows: ListedShow[];
}
