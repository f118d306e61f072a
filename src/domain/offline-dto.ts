import * as z from "zod/mini";
import { YEAR } from "./programme.ts";
import { listedShow } from "./show.ts";
import { count } from "./tallies-dto.ts";

const {
  year: _,
  has_namesake: _namesake,
  last_year: _last,
  reviews: _reviews,
  warnings: _warnings,
  ...fields
} = listedShow.shape;

type Columns = { [Name in keyof typeof fields]: z.ZodMiniArray<(typeof fields)[Name]> };

export const savedColumns = Object.keys(fields) as (keyof Columns)[];

/**
 * The response to `GET /api/offline/shows.json`: all listed shows by title, a column for each field, because rows
 * compress worse. Descriptions are cut, and `warnings` are positions in `phrases`.
 */
export const savedShows = z.object({
  year: z.literal(YEAR),
  ...(Object.fromEntries(savedColumns.map((name) => [name, z.array(fields[name])])) as Columns),
  phrases: z.array(z.string()),
  warnings: z.array(z.array(count())),
});

/** The response to `GET /api/tallies.json`: a column for each field, of all reviewed shows in the order of the list. */
export const savedTallies = z.object({
  year: z.literal(YEAR),
  license: z.literal("https://creativecommons.org/publicdomain/zero/1.0/"),
  id_start: z.array(z.string()),
  no: z.array(count()),
  very_little: z.array(count()),
  yes: z.array(count()),
  latest_on: z.array(z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/))),
});

export type SavedShows = z.infer<typeof savedShows>;
export type SavedTallies = z.infer<typeof savedTallies>;
