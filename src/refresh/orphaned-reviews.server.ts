import { sql, type Transaction } from "kysely";
import { foldForSearch, outlineOf } from "../catalogue/search-folding.ts";
import type { Schema } from "../database/schema.server.ts";
import type { Show } from "../domain/show.ts";
import { plural } from "../lib/plural.ts";

/** The reviews of a show that is not listed any more, or not under its id. */
export interface OrphanedReviews {
  showId: string;
  title: string;
  reviews: number;
  /** Ids of listed shows with the same title and artist: probably the same show under another id. */
  successors: string[];
}

type NamedShow = Pick<Show, "id" | "title" | "artist">;

interface PublishedList {
  year: number;
  /** Ids of the shows that this refresh unlisted. */
  unlisted: ReadonlySet<string>;
  listed: readonly NamedShow[];
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
  return findReviewed(trx).where("listed", "=", false).where("year", "=", year).execute();
}

function findReviewed(trx: Transaction<Schema>) {
  return trx
    .selectFrom("shows")
    .innerJoin("tallies", "tallies.show_id", "shows.id")
    .select(["id", "title", "artist"])
    .select(({ eb }) => eb("no", "+", eb("very_little", "+", eb.ref("yes"))).as("reviews"))
    .where("latest_at", "is not", null)
    .orderBy("id");
}

/**
 * Finds the reviewed shows whose id is that of another show now: title and artist have both changed, or both
 * are those of a show that had others before, as when a festival exchanges the ids of two shows
 * (docs/product.md §7.8).
 * @param before the stored shows as they were before this refresh
 */
export async function findMisplacedReviews(
  trx: Transaction<Schema>,
  before: readonly NamedShow[],
  listed: readonly NamedShow[],
): Promise<OrphanedReviews[]> {
  const stored = new Map(before.map((show) => [show.id, show]));
  const changed = listed.filter(({ id, title, artist }) => {
    const was = stored.get(id);
    return was?.title !== title || was.artist !== artist;
  });
  if (changed.length === 0) return [];
  const idsByName = Map.groupBy(listed, nameOf);
  const hasNewName = new Set(changed.map(({ id }) => id));
  const found = changed.flatMap((now) => {
    const was = stored.get(now.id);
    if (!was || nameOf(was) === nameOf(now)) return [];
    const successors = (idsByName.get(nameOf(was)) ?? []).map(({ id }) => id);
    const changedBoth = fold(was.title) !== fold(now.title) && fold(was.artist) !== fold(now.artist);
    return changedBoth || successors.some((id) => hasNewName.has(id))
      ? [{ showId: now.id, title: was.title, successors }]
      : [];
  });
  if (found.length === 0) return [];
  const ids = found.map(({ showId }) => showId);
  const reviewed = await findReviewed(trx).where("id", "=", sql<string>`any (${ids}::text[])`).execute();
  const reviews = new Map(reviewed.map((show) => [show.id, show.reviews]));
  return found.flatMap((show) => {
    const count = reviews.get(show.showId);
    return count === undefined ? [] : [{ ...show, reviews: count }];
  });
}

/** Equal for shows whose titles and artists a search cannot tell apart. Folded texts have no line breaks. */
function nameOf({ title, artist }: Omit<NamedShow, "id">): string {
  return `${fold(title)}\n${fold(artist)}`;
}

function fold(text: string | null): string {
  return outlineOf(foldForSearch(text ?? "")) || (text ?? "");
}

/** A sentence for the operator. */
export function describeOrphaned({ title, reviews, successors }: OrphanedReviews): string {
  const probably = `it is probably ${successors.join(" or ")} now, and npm run admin -- move-reviews can move them`;
  return `“${title}” has ${plural(reviews, "review")}; ${successors.length > 0 ? probably : "no listed show has its title and artist"}`;
}

/** A sentence for the operator. */
export function describeMisplaced({ title, reviews, successors }: OrphanedReviews): string {
  const ids = successors.join(" or ");
  const owner = `that show is probably ${ids} now, and npm run admin -- move-reviews can move them, unless it has reviews already: they would be mixed`;
  return `${plural(reviews, "review")} of “${title}” ${reviews === 1 ? "stands" : "stand"} under it; ${ids ? owner : "no listed show has its title and artist"}`;
}
