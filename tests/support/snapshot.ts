import type { ShowTallies, Snapshot } from "../../src/catalogue/snapshot-queries.server.ts";
import type { RevisedTallies } from "../../src/domain/review.ts";
import type { ListedShow, Show } from "../../src/domain/show.ts";

/** A listed show. Its tallies have revision 0 unless they say another. */
type Listed = Omit<ListedShow, "reviews"> & { reviews?: ListedShow["reviews"] | RevisedTallies };

/** Returns a function that resolves with these shows as `readSnapshot` does with those of a database. */
export function snapshotOf(listed: readonly Listed[]): () => Promise<Snapshot & { tallies: ShowTallies[] }> {
  const shows = listed.map(({ reviews: _, ...show }): Show => show);
  const tallies = listed.flatMap(({ id, reviews }) =>
    reviews ? [{ revision: 0, ...reviews, show_id: id }] : [],
  );
  return async () => ({ shows, tallies, metadata: [] });
}
