import { type SavedShows, type SavedTallies, savedColumns } from "../domain/offline-dto.ts";
import { YEAR } from "../domain/programme.ts";
import type { Tallies } from "../domain/review.ts";
import type { Show } from "../domain/show.ts";
import { MIN_ID_START } from "./offline-search.ts";

export function packShows(shows: readonly Show[]): SavedShows {
  const cut = shows.map((show) => ({
    ...show,
    description: show.description && cutAtWord(show.description),
  }));
  const columns = savedColumns.map((name) => [name, cut.map((show) => show[name])]);
  return { year: YEAR, ...Object.fromEntries(columns) };
}

/** Cuts after the word at the 120th character. */
function cutAtWord(text: string): string {
  const [start = text] = /^.{120}\S{0,180}/su.exec(text) ?? [];
  return start === text ? text : `${start.replace(/[\s.,;:]+$/, "")}…`;
}

export function packTallies(
  reviewed: readonly { show: Pick<Show, "id">; reviews: Tallies }[],
  startOf: (showId: string) => string,
): SavedTallies {
  return {
    year: YEAR,
    license: "https://creativecommons.org/publicdomain/zero/1.0/",
    id_start: reviewed.map(({ show }) => startOf(show.id)),
    no: reviewed.map(({ reviews }) => reviews.no),
    very_little: reviewed.map(({ reviews }) => reviews.very_little),
    yes: reviewed.map(({ reviews }) => reviews.yes),
    latest_on: reviewed.map(({ reviews }) => (reviews.latest_at ?? "").slice(0, "YYYY-MM-DD".length)),
  };
}

/** By id: its shortest beginning that no other id has; the whole id if another one begins with it. */
export function uniqueStarts(ids: readonly string[]): Map<string, string> {
  const sorted = ids.toSorted();
  const starts = sorted.map((id, index) => {
    const shared = Math.max(commonLength(id, sorted[index - 1]), commonLength(id, sorted[index + 1]));
    return [id, id.slice(0, Math.max(MIN_ID_START, shared + 1))] as const;
  });
  return new Map(starts);
}

function commonLength(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length++;
  return length;
}
