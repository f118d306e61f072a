import * as z from "zod/mini";
import { talliesSchema } from "./review.ts";

/** The one festival year that the site shows; sent to the festival's API explicitly (docs/product.md §7.1). */
export const YEAR = 2025;

/** Shows on one page of the list (docs/product.md §2.13). */
export const PAGE_SIZE = 20;

/** Whether a title is set smaller than others: 200 characters occur. */
export function isLong(title: string): boolean {
  return title.length > 80;
}

const textOrNull = z.nullable(z.string());

/**
 * A show in the list. The id is the festival's own; texts are plain text, never HTML. Without `reviews` its
 * tallies are unknown, which is not the same as having none.
 */
export const listedShow = z.object({
  id: z.string(),
  title: z.string(),
  /** Null: the title is plain text. Nothing but a web page may become a link. */
  website: z.nullable(z.string().check(z.regex(/^https?:\/\//i))),
  artist: textOrNull,
  venue_name: textOrNull,
  genre: textOrNull,
  description: z.nullable(z.string()),
  year: z.int(),
  status: z.enum(["active", "cancelled"]),
  reviews: z.optional(talliesSchema),
});

/** One page of the list, as `GET /api/shows` sends it: the last one when a later one was asked for. */
export const showPage = z.object({
  year: z.literal(YEAR),
  page: z.int().check(z.minimum(1)),
  page_size: z.literal(PAGE_SIZE),
  total: z.int().check(z.minimum(0)),
  shows: z.array(listedShow).check(z.maxLength(PAGE_SIZE)),
});

export type ListedShow = z.infer<typeof listedShow>;
export type Show = Omit<ListedShow, "reviews">;
export type ShowPage = z.infer<typeof showPage>;
