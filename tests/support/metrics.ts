/** By metric and labels, such as `front_row_reviews_total{outcome="written"}`. */
export type Samples = ReadonlyMap<string, number>;

/** @throws Error with status and body of a response without 200 */
export async function readMetrics(origin: string, headers: Record<string, string> = {}): Promise<Samples> {
  const response = await fetch(`${origin}/metrics`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`No metrics but ${response.status}: ${text}`);
  return parseMetrics(text);
}

function parseMetrics(text: string): Samples {
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** The increases of a metric by labels, without unchanged values. */
export function increases(before: Samples, after: Samples, name: string): Record<string, number> {
  const increased = [...after].filter(
    ([sample, value]) => sample.startsWith(name) && value !== (before.get(sample) ?? 0),
  );
  return Object.fromEntries(
    increased.map(([sample, value]) => [sample.slice(name.length), value - (before.get(sample) ?? 0)]),
  );
}

/** Requests for pages and the API that reached a server. */
export async function countRequests(origin: string): Promise<number> {
  const counted = /^front_row_http_request_duration_seconds_count.*route="\/(api|auth|\*|")/;
  return [...(await readMetrics(origin))]
    .filter(([sample]) => counted.test(sample))
    .reduce((sum, [, count]) => sum + count, 0);
}
