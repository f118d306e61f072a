import { createHistogram } from "node:perf_hooks";
import type { Reviewer } from "../tests/support/reviewers.ts";
import { microseconds } from "./load/ask.ts";
import { openConnection } from "./load/connection.ts";
import { readPage } from "./load/programme.ts";
import type { Latency } from "./load/steady.ts";
import { putReview } from "./writing/measure.ts";

/** How many reviews are followed to the other server. */
const FOLLOWED = 100;

/** Where the turns of these reviews begin: nobody else sends the same. */
const TURNS = 500_000;

/** One review after the other, each from its being sent to one server until the list of the other begins with it; in ms. */
export async function followReviews(
  origin: string,
  other: string,
  people: readonly Reviewer[],
  showIds: readonly string[],
): Promise<Latency> {
  const latencies = createHistogram();
  const connection = openConnection(origin, {});
  for (let turn = TURNS; turn < TURNS + FOLLOWED; turn++) {
    const before = await newestReview(other);
    const began = performance.now();
    const status = await putReview(connection, people, showIds, turn);
    if (status !== 200) throw new Error(`A review was answered with ${status}`);
    while ((await newestReview(other)) === before) {}
    latencies.record(microseconds(performance.now() - began));
  }
  connection.close();
  return { p50: latencies.percentile(50) / 1000, p99: latencies.percentile(99) / 1000 };
}

/** The newest review is that of the list's first show. */
async function newestReview(origin: string): Promise<string | null> {
  const { shows } = await readPage(origin, "");
  return shows[0]?.reviews?.latest_at ?? null;
}
