import { z } from "zod";
import { answers } from "../domain/review.ts";
import { PAGE_SIZE, type ShowPage, YEAR } from "../domain/show.ts";
import { readPage } from "../domain/show-query.ts";

/** The parameters of `GET /api/shows`, each as the list of its values in the query string. */
export const showsParameters = z.object({
  search: z.tuple([z.string()], { error: "search may be given once" }).optional(),
  interaction: z.array(z.enum(answers, { error: `interaction must be one of ${answers.join(", ")}` })).optional(),
  page: z
    .tuple([z.string().refine((text) => readPage(text) !== null)], { error: "page must be one whole number from 1" })
    .optional(),
  reviews: z.tuple([z.literal("none")], { error: "reviews may only be none" }).optional(),
});

const count = z.int().min(0);
const text = z.string().nullable();

const tallies = z.object({
  no: count,
  very_little: count,
  yes: count,
  latest_at: z.iso.datetime().nullable().meta({ description: "When the newest review was written" }),
});

const listedShow = z.object({
  id: z.string(),
  title: z.string(),
  website: z.url().nullable(),
  artist: text,
  venue_name: text,
  genre: text,
  description: text.meta({ description: "Plain text" }),
  year: z.int(),
  status: z.enum(["active", "cancelled"]),
  reviews: tallies.optional().meta({ description: "Absent where tallies were not asked for or are unknown" }),
});

/** The answer of `GET /api/shows`. */
export const showPage: z.ZodType<ShowPage> = z.object({
  year: z.literal(YEAR),
  page: z.int().min(1).meta({ description: "The page answered: the last one when a later one was asked for" }),
  page_size: z.literal(PAGE_SIZE),
  total: count.meta({ description: "How many shows match" }),
  shows: z.array(listedShow).max(PAGE_SIZE),
});

/** What the OpenAPI description says of `GET /api/shows`. */
export const describeShows = {
  summary: "One page of the list of shows, as the site shows it",
  parameters: [
    { name: "search", description: "Case-insensitive contains on title, artist or venue", schema: { type: "string" } },
    {
      name: "interaction",
      description: "Keeps shows that have a review with any of these answers",
      schema: { type: "array", items: { enum: answers } },
      explode: true,
    },
    { name: "page", description: "Which page, from 1", schema: { type: "integer", minimum: 1, default: 1 } },
    {
      name: "reviews",
      description: "none: shows alone, by title, without tallies; interaction is ignored",
      schema: { enum: ["none"] },
    },
  ],
  answer: showPage,
  errors: { "400": "invalid_query", "401": "invalid_client_key", "429": "rate_limited", "503": "unavailable" },
};
