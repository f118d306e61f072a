import { YEAR } from "../../src/domain/programme.ts";
import { type ListedShow, type Show, showColumns } from "../../src/domain/show.ts";

/** Like `readSnapshot`, but with these shows. */
export function snapshotOf(listed: readonly ListedShow[]) {
  const metadata = { address: null, performances: null };
  const shows = listed.map(({ reviews: _, ...show }) => ({ show, metadata }));
  const tallies = listed.flatMap(({ id, reviews }) => (reviews ? [{ ...reviews, show_id: id }] : []));
  return async () => ({ shows, tallies });
}

export function bareShow(id: string): Show {
  const nothing = Object.fromEntries(showColumns.map((name) => [name, null])) as unknown as Show;
  return {
    ...nothing,
    id,
    title: `Show ${id}`,
    year: YEAR,
    status: "active",
    announced: "unknown",
    warnings: [],
  };
}

export const noTallies = { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 0, total: 0, few: true };
