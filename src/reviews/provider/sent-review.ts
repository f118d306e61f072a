import type { ShowNotes } from "../../domain/notes-dto.ts";
import { type Interaction, NOTES_SHOWN, type Tallies } from "../../domain/review.ts";
import type { Review } from "../../domain/review-dto.ts";
import type { ListedShow } from "../../domain/show.ts";

type PublicNote = ShowNotes[Interaction]["notes"][number];

/** The user's own note has no id: nobody reports it. */
export type Note = Omit<PublicNote, "id"> & Partial<PublicNote>;

export type NewestNotes = Record<Interaction, Note[]>;

export interface SentReview {
  review: Review;
  isDeleted: boolean;
  tallies: Tallies;
}

/** Of what this tab has sent, by show: for loading, which knows no state of React. */
const sentTallies = new Map<string, Tallies>();

export function rememberSent({ review, tallies }: SentReview): void {
  sentTallies.set(review.show_id, tallies);
}

export function newestTalliesOf({ id, reviews }: ListedShow): Tallies | undefined {
  return newestTallies(reviews, sentTallies.get(id));
}

/** A list may come from a shared cache, or an instance, that does not have the sent review yet. */
export function newestTallies(listed: Tallies | undefined, sent: Tallies | undefined): Tallies | undefined {
  if (!listed || !sent) return listed ?? sent;
  return sent.revision > listed.revision ? sent : listed;
}

export function newestNotes(
  notes: ShowNotes | undefined,
  sent: SentReview | undefined,
): NewestNotes | undefined {
  if (!sent || (notes && notes.revision >= sent.tallies.revision))
    return notes && byInteraction((interaction) => notes[interaction].notes);
  return byInteraction((interaction) => withSent(interaction, notes?.[interaction].notes ?? [], sent));
}

function byInteraction(notesOf: (interaction: Interaction) => Note[]): NewestNotes {
  return { no: notesOf("no"), very_little: notesOf("very_little"), yes: notesOf("yes") };
}

/** Notes carry no author. The user's earlier one has the time of the review, which replacing it keeps. */
function withSent(interaction: Interaction, notes: Note[], { review, isDeleted }: SentReview): Note[] {
  const others = notes.filter(({ created_at }) => created_at !== review.created_at);
  if (isDeleted || review.audience_interaction !== interaction || review.notes === null) return others;
  const merged = [{ notes: review.notes, created_at: review.created_at }, ...others];
  return merged.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at)).slice(0, NOTES_SHOWN);
}
