import type { Answer, Tallies } from "../../../src/domain/review.ts";
import type { ListedShow } from "../../../src/domain/show.ts";

/** A row of the shows table with its nested reviews (specification §7). */
export interface ShowRow extends Omit<ListedShow, "reviews"> {
  reviews: { created_at: string; audience_interaction: Answer }[];
}

/** A row of the reviews table. */
export interface ReviewRow {
  show_id: string;
  user_id: string;
  audience_interaction: Answer;
  notes: string | null;
  created_at: string;
}

/** What the specification's client gets: the first page of the list, how many shows there are, and all reviews. */
export interface Rows {
  shows: ShowRow[];
  total: number;
  reviews: ReviewRow[];
}

interface Group {
  count: number;
  notes: { notes: string }[];
}

export type GroupedNotes = Record<string, Record<Answer, Group>>;

/** How many notes a tally shows (specification §9). */
const MOST_NOTES = 5;

/** The show as the card wants it: its reviews counted. */
export function toListedShow({ reviews, ...show }: ShowRow): ListedShow {
  const tallies: Tallies = { no: 0, very_little: 0, yes: 0, latest_at: null };
  for (const { audience_interaction } of reviews) tallies[audience_interaction]++;
  return { ...show, reviews: tallies };
}

/** The newest notes of each show and answer. */
export function groupNotes(rows: ReviewRow[]): GroupedNotes {
  const shows: GroupedNotes = {};
  for (const row of rows.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))) {
    const show = shows[row.show_id] ?? { no: noNotes(), very_little: noNotes(), yes: noNotes() };
    shows[row.show_id] = show;
    const group = show[row.audience_interaction];
    group.count++;
    if (row.notes !== null && group.notes.length < MOST_NOTES) group.notes.push({ notes: row.notes });
  }
  return shows;
}

function noNotes(): Group {
  return { count: 0, notes: [] };
}
