import type { ShowNotes } from "../../domain/notes-dto.ts";
import { type Interaction, NOTES_SHOWN } from "../../domain/review.ts";
import type { Review } from "../../domain/review-dto.ts";

type PublicNote = ShowNotes[Interaction]["notes"][number];

/** What a reviewer wrote, and when. The user's own note has no id: nobody reports it. */
export type Note = Omit<PublicNote, "id"> & Partial<PublicNote>;

/** A show's newest notes, by interaction, newest first. */
export type NewestNotes = Record<Interaction, Note[]>;

/** The user's review of a show as it was saved or deleted, and the revision of the response's tallies. */
export interface SentReview {
  /** Null if it was deleted. */
  review: Review | null;
  revision: number;
  /** The user's earlier reviews of the show, as far as they are known. Their notes are gone. */
  replaced: readonly Review[];
}

/**
 * Merges a show's loaded notes with the user's saved review. Notes of an earlier revision do not have it yet.
 */
export function newestNotes(
  notes: ShowNotes | undefined,
  saved: SentReview | undefined,
): NewestNotes | undefined {
  if (!saved || (notes && notes.revision >= saved.revision))
    return notes && byInteraction((interaction) => notes[interaction].notes);
  return byInteraction((interaction) => withSaved(interaction, notes?.[interaction].notes ?? [], saved));
}

function byInteraction(notesOf: (interaction: Interaction) => Note[]): NewestNotes {
  return { no: notesOf("no"), very_little: notesOf("very_little"), yes: notesOf("yes") };
}

function withSaved(interaction: Interaction, notes: Note[], { review, replaced }: SentReview): Note[] {
  const own = review ? [...replaced, review] : replaced;
  const others = notes.filter(
    (note) => !own.some((one) => one.audience_interaction === interaction && isSame(one, note)),
  );
  if (review?.audience_interaction !== interaction || review.notes === null) return others;
  const merged = [{ notes: review.notes, created_at: review.created_at }, ...others];
  return merged.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at)).slice(0, NOTES_SHOWN);
}

/** Notes carry no author: they are recognised by text and time. */
function isSame(review: Review, note: Note): boolean {
  return review.notes === note.notes && review.created_at === note.created_at;
}
