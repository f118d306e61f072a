import * as z from "zod/mini";
import { YEAR } from "./programme.ts";
import { listedShow } from "./show.ts";
import { count } from "./tallies-dto.ts";

const { id, title, website, artist, venue_name, genre, description, status, announced } = listedShow.shape;

/**
 * The response to `GET /api/offline/shows.json`: all listed shows by title, a column for each field, because rows
 * compress worse. Descriptions are cut.
 */
export const savedShows = z.object({
  year: z.literal(YEAR),
  id: z.array(id),
  title: z.array(title),
  website: z.array(website),
  artist: z.array(artist),
  venue_name: z.array(venue_name),
  genre: z.array(genre),
  description: z.array(description),
  status: z.array(status),
  announced: z.array(announced),
});

/** The response to `GET /api/tallies.json`: a column for each field, of all reviewed shows in the order of the list. */
export const savedTallies = z.object({
  year: z.literal(YEAR),
  license: z.literal("https://creativecommons.org/publicdomain/zero/1.0/"),
  id_start: z.array(z.string()),
  no: z.array(count),
  very_little: z.array(count),
  yes: z.array(count),
  latest_on: z.array(z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/))),
});

export type SavedShows = z.infer<typeof savedShows>;
export type SavedTallies = z.infer<typeof savedTallies>;
