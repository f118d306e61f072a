import { expect, test } from "vitest";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import { type Interaction, NOTES_SHOWN } from "../../domain/review.ts";
import type { Review } from "../../domain/review-dto.ts";
import { newestNotes, type SentReview } from "./newest-notes.ts";

const at = (second: number) => new Date(Date.UTC(2025, 7, 4, 12, 0, second)).toISOString();

function review(interaction: Interaction, notes: string | null, second: number): Review {
  return { show_id: "s1", user_id: "u1", audience_interaction: interaction, notes, created_at: at(second) };
}

/** Loaded notes of one show: for each interaction the texts, each a second older than the one before. */
function loaded(texts: Partial<Record<Interaction, string[]>>, revision = 0) {
  const notesOf = (interaction: Interaction) => {
    const notes = (texts[interaction] ?? []).map((notes, index) => ({
      id: `n${index}`,
      notes,
      created_at: at(30 - index),
    }));
    return { count: notes.length, notes };
  };
  return { no: notesOf("no"), very_little: notesOf("very_little"), yes: notesOf("yes"), revision };
}

/** The texts of the newest notes, by interaction. */
function newestTexts(loadedNotes: ShowNotes | undefined, sent: SentReview | undefined) {
  const notes = newestNotes(loadedNotes, sent);
  const textsOf = (interaction: Interaction) => notes?.[interaction].map((note) => note.notes);
  return notes && { no: textsOf("no"), very_little: textsOf("very_little"), yes: textsOf("yes") };
}

const saved = (review: Review, replaced: Review[] = []) => ({ review, replaced, revision: 1 });

test("without a saved review, the notes are those that were loaded; unknown until then", () => {
  expect(newestTexts(loaded({ yes: ["Loud.", "Wet."] }), undefined)).toEqual({
    no: [],
    very_little: [],
    yes: ["Loud.", "Wet."],
  });
  expect(newestTexts(undefined, undefined)).toBeUndefined();
});

test("a saved note comes first, and pushes out the oldest", () => {
  const texts = ["1", "2", "3", "4", "5"];
  expect(texts).toHaveLength(NOTES_SHOWN);
  expect(newestTexts(loaded({ yes: texts }), saved(review("yes", "new", 40)))?.yes).toEqual([
    "new",
    ...texts.slice(0, -1),
  ]);
});

test("a saved note shows on a show without loaded notes", () => {
  expect(newestTexts(undefined, saved(review("no", "Calm.", 40)))?.no).toEqual(["Calm."]);
});

test("a saved note that was loaded already shows once", () => {
  const ownReview = review("yes", "Loud.", 30);
  expect(newestTexts(loaded({ yes: ["Loud.", "Wet."] }), saved(ownReview))?.yes).toEqual(["Loud.", "Wet."]);
});

test("the notes of replaced reviews are removed, equal notes of others are not", () => {
  const replaced = [review("no", "Calm.", 30), review("yes", "Loud.", 29)];
  const notes = newestTexts(
    loaded({ no: ["Calm.", "Calm."], yes: ["Wet.", "Loud."] }),
    saved(review("very_little", "A bit.", 40), replaced),
  );
  expect(notes).toEqual({ no: ["Calm."], very_little: ["A bit."], yes: ["Wet."] });
});

test("a saved review without a note adds none", () => {
  expect(newestTexts(loaded({ yes: ["Wet."] }), saved(review("yes", null, 40)))?.yes).toEqual(["Wet."]);
});

test("notes of a later revision win: the review may have been removed", () => {
  const ownReview = saved(review("yes", "Loud.", 40));
  expect(newestTexts(loaded({}, 2), ownReview)?.yes).toEqual([]);
  expect(newestTexts(loaded({}, 0), ownReview)?.yes).toEqual(["Loud."]);
});

test("the note of a deleted review is gone, and others with the same text stay", () => {
  const removed = { review: null, replaced: [review("yes", "Loud.", 30)], revision: 1 };
  expect(newestTexts(loaded({ yes: ["Loud.", "Loud."] }), removed)?.yes).toEqual(["Loud."]);
});
