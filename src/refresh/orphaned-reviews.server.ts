import type { Transaction } from "kysely";
import { foldForSearch, outlineOf } from "../catalogue/search-folding.ts";
import type { Schema } from "../database/schema.server.ts";
import type { Show } from "../domain/show.ts";
import { plural } from "../ui/plural.ts";

/** The reviews of a show that is not listed any more. */
export interface OrphanedReviews {
  showId: string;
  title: string;
  reviews: number;
  /** Ids of listed shows with the same title and artist: probably the same show under another id. */
  successors: string[];
}

interface PublishedList {
  year: number;
  /** Ids of the shows that this refresh unlisted. */
  unlisted: ReadonlySet<string>;
  listed: readonly Pick<Show, "id" | "title" | "artist">[];
  /** Ids of the shows that this refresh listed, and that were not listed before. */
  newlyListed: ReadonlySet<string>;
}

/**
 * Finds the reviewed shows that this refresh unlisted, and those unlisted earlier whose successor it listed:
 * a festival may delete a show before it creates it again under another id (docs/product.md §7.8).
 */
export async function findOrphanedReviews(
  trx: Transaction<Schema>,
  { year, unlisted, listed, newlyListed }: PublishedList,
): Promise<OrphanedReviews[]> {
  const shows = await findReviewedUnlisted(trx, year);
  if (shows.length === 0) return [];
  const idsByName = Map.groupBy(listed, nameOf);
  return shows
    .map(({ id, title, artist, reviews }) => {
      const successors = idsByName.get(nameOf({ title, artist })) ?? [];
      return { showId: id, title, reviews, successors: successors.map((show) => show.id) };
    })
    .filter(({ showId, successors }) => unlisted.has(showId) || successors.some((id) => newlyListed.has(id)));
}

function findReviewedUnlisted(trx: Transaction<Schema>, year: number) {
  return trx
    .selectFrom("shows")
    .innerJoin("tallies", "tallies.show_id", "shows.id")
    .select(["id", "title", "artist"])
    .select(({ eb }) => eb("no", "+", eb("very_little", "+", eb.ref("yes"))).as("reviews"))
    .where("listed", "=", false)
    .where("year", "=", year)
    .where("latest_at", "is not", null)
    .orderBy("id")
    .execute();
}

/** Equal for shows whose titles and artists a search cannot tell apart. Folded texts have no line breaks. */
function nameOf({ title, artist }: Pick<Show, "title" | "artist">): string {
  return [title, artist ?? ""].map((text) => outlineOf(foldForSearch(text)) || text).join("\n");
}

/** A sentence for the operator. */
export function describeOrphaned({ title, reviews, successors }: OrphanedReviews): string {
  const probably = `it is probably ${successors.join(" or ")} now, and npm run admin -- move-reviews can move them`;
  return `“${title}” has ${plural(reviews, "review")}; ${successors.length > 0 ? probably : "no listed show has its title and artist"}`;
}
