import type { ShowNotes } from "../../domain/notes-dto.ts";
import { type Interaction, NOTES_SHOWN, type Tallies } from "../../domain/review.ts";
import type { Review } from "../../domain/review-dto.ts";

type PublicNote = ShowNotes[Interaction]["notes"][number];

/** The user's own note has no id: its author does not report it. */
export type Note = Omit<PublicNote, "id"> & Partial<PublicNote>;

export interface ShownNotes {
  /** How many there are. */
  total: number;
  notes: Note[];
}

export type NewestNotes = Record<Interaction, ShownNotes>;

export interface SentReview {
  review: Review;
  isDeleted: boolean;
  tallies: Tallies;
}

/** A list from a shared cache or another instance may lack the sent review. */
export function newestTallies(listed: Tallies | undefined, sent: Tallies | undefined): Tallies | undefined {
  if (!listed || !sent) return listed ?? sent;
  return sent.revision > listed.revision ? sent : listed;
}

export function newestNotes(
  notes: ShowNotes | undefined,
  sent: SentReview | undefined,
): NewestNotes | undefined {
  if (!sent || (notes && notes.revision >= sent.tallies.revision)) return notes;
  const notesOf = (interaction: Interaction) => withSent(interaction, notes?.[interaction] ?? noNotes, sent);
  return { no: notesOf("no"), very_little: notesOf("very_little"), yes: notesOf("yes") };
}

const noNotes: ShownNotes = { total: 0, notes: [] };

/**
 * Notes name no author, but a replaced review keeps its time: that finds the user's earlier note. One that is older
 * than all shown ones is among those that are only counted, or was: then the number is off by one until it is loaded.
 */
function withSent(
  interaction: Interaction,
  shown: ShownNotes,
  { review, isDeleted }: SentReview,
): ShownNotes {
  const oldest = shown.notes.at(-1);
  const isOlder = oldest && Date.parse(review.created_at) < Date.parse(oldest.created_at);
  if (isOlder && shown.total > shown.notes.length) return shown;
  const notes = shown.notes.filter(({ created_at }) => created_at !== review.created_at);
  if (!isDeleted && review.audience_interaction === interaction && review.notes !== null)
    notes.push({ notes: review.notes, created_at: review.created_at });
  notes.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  return { total: shown.total - shown.notes.length + notes.length, notes: notes.slice(0, NOTES_SHOWN) };
}
