import * as z from "zod/mini";
import { declarations } from "./declared.ts";
import { PAGE_SIZE, YEAR } from "./programme.ts";
import { count, countsSchema, talliesSchema } from "./tallies-dto.ts";

const textOrNull = z.nullable(z.string());

export const listedTallies = z.object({ ...talliesSchema.shape, total: count(), few: z.boolean() });

/** What a card has from the table `shows`: for each field, in the API's order, the column of the same name. */
export const storedShow = z.object({
  id: z.string(),
  /** Texts are plain text, never HTML. */
  title: z.string(),
  /** Only http(s): a `javascript:` URL would run a script. */
  website: z.nullable(z.string().check(z.regex(/^https?:\/\//i))),
  artist: textOrNull,
  venue_name: textOrNull,
  genre: textOrNull,
  /** A separate schema: the description of the API refers to it. */
  description: z.nullable(z.string()),
  year: z.int(),
  status: z.enum(["active", "cancelled"]),
});

/**
 * Without `reviews`, the tallies are unknown (docs/product.md §3.7). `last_year` has the tallies of the same show in
 * the previous year (docs/product.md §3.16). `has_namesake`: another listed show has the same title and artist.
 */
export const listedShow = z.object({
  ...storedShow.shape,
  announced: z.enum(declarations),
  /** The listing's others, in the festival's words. */
  warnings: z.array(z.string()),
  has_namesake: z.optional(z.literal(true)),
  last_year: z.optional(countsSchema),
  reviews: z.optional(listedTallies),
});

/**
 * The response to `GET /api/shows`. A page past the end is the last page. `year` is the festival year, but a
 * single show may be of an earlier one. `short_id` is a beginning of its id (docs/product.md §2.25).
 * `did_you_mean` has another search and the parameters of its list (docs/product.md §2.26).
 */
export const showPage = z.object({
  year: z.literal(YEAR),
  page: z.int().check(z.minimum(1)),
  page_size: z.literal(PAGE_SIZE),
  total: count(),
  short_id: z.optional(z.string()),
  did_you_mean: z.optional(z.object({ search: z.string(), query: z.string() })),
  shows: z.array(listedShow).check(z.maxLength(PAGE_SIZE)),
});

export const showColumns = Object.keys(storedShow.shape) as (keyof StoredShow)[];

export type StoredShow = z.infer<typeof storedShow>;
export type ListedShow = z.infer<typeof listedShow>;
export type Show = Omit<ListedShow, "reviews" | "last_year" | "has_namesake">;
export type ShowPage = z.infer<typeof showPage>;
