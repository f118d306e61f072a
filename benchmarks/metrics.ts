import { readMetrics } from "../tests/support/metrics.ts";

/** How often the serving process looks at its event loop, in ms: what it reports holds that much waiting. */
const RESOLUTION = 10;

/** The longest pause of a server's event loop since it was last asked, in ms. */
export async function longestPause(origin: string): Promise<number> {
  const longest = (await readMetrics(origin)).get("nodejs_eventloop_lag_max_seconds") ?? Number.NaN;
  return Math.max(0, longest * 1000 - RESOLUTION);
}

/** When a server last read the catalogue from the database, in ms since 1970. */
export async function catalogueReadAt(origin: string): Promise<number> {
  return ((await readMetrics(origin)).get("front_row_catalogue_read_timestamp_seconds") ?? Number.NaN) * 1000;
}
