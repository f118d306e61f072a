/** What `/metrics` tells: values by metric and labels, as `front_row_reviews_total{outcome="written"}`. */
export type Samples = ReadonlyMap<string, number>;

/** @throws Error with what the server answered instead */
export async function readMetrics(origin: string, headers: Record<string, string> = {}): Promise<Samples> {
  const answer = await fetch(`${origin}/metrics`, { headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`No metrics but ${answer.status}: ${text}`);
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

/** How much each value grew; what did not is left out. */
export function increases(before: Samples, after: Samples, name: string): Record<string, number> {
  const grown = [...after].filter(([sample, value]) => sample.startsWith(name) && value !== (before.get(sample) ?? 0));
  return Object.fromEntries(
    grown.map(([sample, value]) => [sample.slice(name.length), value - (before.get(sample) ?? 0)]),
  );
}
