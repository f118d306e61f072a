import type { ShowTallies, Snapshot } from "../../src/catalogue/snapshot-queries.server.ts";
import type { ListedShow, Show } from "../../src/domain/show.ts";

/** Returns a function that resolves with these shows as `readSnapshot` does with those of a database. */
export function snapshotOf(
  listed: readonly ListedShow[],
): () => Promise<Snapshot & { tallies: ShowTallies[] }> {
  const shows = listed.map(({ reviews: _, ...show }): Show => show);
  const tallies = listed.flatMap(({ id, reviews }) => (reviews ? [{ ...reviews, show_id: id }] : []));
  return async () => ({ shows, tallies, metadata: [] });
}
