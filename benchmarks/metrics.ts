import { readMetrics } from "../tests/support/metrics.ts";

/** How often the serving process looks at its event loop, in ms: what it reports holds that much waiting. */
const RESOLUTION = 10;

/** What a server tells of itself. */
export interface Told {
  /** The longest pause of its event loop since it was last asked, in ms. */
  pause: number;
  /** When it last read the catalogue from the database, in ms since 1970. */
  readAt: number;
}

/** Asks a server for both at once: whoever asks for one thing after the other forgets the pauses in between. */
export async function askServer(origin: string): Promise<Told> {
  const metrics = await readMetrics(origin);
  const longest = metrics.get("nodejs_eventloop_lag_max_seconds") ?? Number.NaN;
  const readAt = metrics.get("front_row_catalogue_read_timestamp_seconds") ?? Number.NaN;
  return { pause: Math.max(0, longest * 1000 - RESOLUTION), readAt: readAt * 1000 };
}
