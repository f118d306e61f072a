import * as z from "zod/mini";

/** A new one each time: the API's description describes each by itself. */
export const count = () => z.int().check(z.minimum(0));

/** ISO 8601 in UTC. Zod's own check would add 300 bytes to the first load. */
export const timestamp = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/));

export const countsSchema = z.object({ no: count(), very_little: count(), yes: count() });

/** `latest_at` is null without reviews. `revision` grows with each change of the show's reviews. */
export const talliesSchema = z.object({
  ...countsSchema.shape,
  latest_at: z.nullable(timestamp),
  revision: count(),
});

export const noTallies = { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 0 };
