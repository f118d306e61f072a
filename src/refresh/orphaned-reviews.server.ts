import { nameOf } from "../catalogue/search-folding.ts";
import type { Trx } from "../database/schema.server.ts";
import type { Show } from "../domain/show.ts";
import { plural } from "../lib/format.ts";

export interface OrphanedReviews {
  showId: string;
  title: string;
  reviews: number;
  /** Listed shows with the same title and artist. */
  successors: string[];
}

type NamedShow = Pick<Show, "id" | "title" | "artist">;

interface PublishedList {
  before: readonly (NamedShow & { listed: boolean })[];
  listed: readonly NamedShow[];
  unlisted: ReadonlySet<string>;
  newlyListed: ReadonlySet<string>;
}

/** docs/product.md §7.8. Misplaced: another show has the id now, as when a festival exchanges two ids. */
export async function findReviewsToMove(trx: Trx, { before, listed, unlisted, newlyListed }: PublishedList) {
  const reviews = await countReviewsByShow(trx);
  const stored = new Map(before.map((show) => [show.id, show]));
  const current = new Map(listed.map((show) => [show.id, show]));
  const hasNewName = (id: string) => {
    const [was, now] = [stored.get(id), current.get(id)];
    return was?.title !== now?.title || was?.artist !== now?.artist;
  };
  const reviewed = [...reviews.keys()].flatMap((id) => stored.get(id) ?? []);
  const noLongerListed = reviewed.filter(
    ({ id, listed }) => unlisted.has(id) || (!listed && !current.has(id)),
  );
  const renamed = reviewed.flatMap((was) => {
    const now = current.get(was.id);
    return now && hasNewName(was.id) && nameOf(was) !== nameOf(now) ? [{ was, now }] : [];
  });
  if (noLongerListed.length + renamed.length === 0) return { orphaned: [], misplaced: [] };

  const showsByName = Map.groupBy(listed, nameOf);
  const withSuccessors = (show: NamedShow) => ({
    showId: show.id,
    title: show.title,
    reviews: reviews.get(show.id) ?? 0,
    successors: (showsByName.get(nameOf(show)) ?? []).map(({ id }) => id),
  });
  return {
    orphaned: noLongerListed
      .map(withSuccessors)
      .filter(
        ({ showId, successors }) => unlisted.has(showId) || successors.some((id) => newlyListed.has(id)),
      ),
    misplaced: renamed.flatMap(({ was, now }) => {
      const found = withSuccessors(was);
      return differInBoth(was, now) || found.successors.some(hasNewName) ? [found] : [];
    }),
  };
}

async function countReviewsByShow(trx: Trx): Promise<Map<string, number>> {
  const rows = await trx
    .selectFrom("tallies")
    .select(["show_id", ({ eb }) => eb("no", "+", eb("very_little", "+", eb.ref("yes"))).as("reviews")])
    .where("latest_at", "is not", null)
    .orderBy("show_id")
    .execute();
  return new Map(rows.map(({ show_id, reviews }) => [show_id, reviews]));
}

function differInBoth(was: NamedShow, now: NamedShow): boolean {
  return (
    nameOf({ ...was, artist: null }) !== nameOf({ ...now, artist: null }) &&
    nameOf({ ...was, title: "" }) !== nameOf({ ...now, title: "" })
  );
}

export function describeOrphaned({ title, reviews, successors }: OrphanedReviews): string {
  const probably = `it is probably ${successors.join(" or ")} now, and npm run admin -- move-reviews can move them`;
  return `“${title}” has ${plural(reviews, "review")}; ${successors.length > 0 ? probably : "no listed show has its title and artist"}`;
}

export function describeMisplaced({ title, reviews, successors }: OrphanedReviews): string {
  const ids = successors.join(" or ");
  const owner = `that show is probably ${ids} now, and npm run admin -- move-reviews can move them, unless it has reviews already: they would be mixed`;
  return `${plural(reviews, "review")} of “${title}” ${reviews === 1 ? "stands" : "stand"} under it; ${ids ? owner : "no listed show has its title and artist"}`;
}
