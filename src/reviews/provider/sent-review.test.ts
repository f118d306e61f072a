import { expect, test } from "vitest";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import { type Interaction, NOTES_SHOWN } from "../../domain/review.ts";
import type { Review } from "../../domain/review-dto.ts";
import { newestNotes, newestTallies, type SentReview } from "./sent-review.ts";

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

function newestTexts(loadedNotes: ShowNotes | undefined, sent: SentReview | undefined) {
  const notes = newestNotes(loadedNotes, sent);
  const textsOf = (interaction: Interaction) => notes?.[interaction].map((note) => note.notes);
  return notes && { no: textsOf("no"), very_little: textsOf("very_little"), yes: textsOf("yes") };
}

const tally = (yes: number, revision: number) => ({ no: 0, very_little: 0, yes, latest_at: null, revision });
const saved = (review: Review) => ({ review, isDeleted: false, tallies: tally(1, 1) });

test("tallies with the greater revision win, wherever they came from; so do those known alone", () => {
  const [older, newer] = [tally(2, 7), tally(1, 8)];
  expect(newestTallies(older, newer)).toBe(newer);
  expect(newestTallies(newer, older)).toBe(newer);
  expect(newestTallies(undefined, older)).toBe(older);
  expect(newestTallies(older, undefined)).toBe(older);
  expect(newestTallies(undefined, undefined)).toBeUndefined();
});

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

test("a saved note replaces the user's earlier one, which has its time, and no equal note of others", () => {
  const loadedNotes = loaded({ no: ["Calm.", "Calm."] });
  expect(newestTexts(loadedNotes, saved(review("very_little", "A bit.", 30)))).toEqual({
    no: ["Calm."],
    very_little: ["A bit."],
    yes: [],
  });
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
  const deleted = { ...saved(review("yes", "Loud.", 30)), isDeleted: true };
  expect(newestTexts(loaded({ yes: ["Loud.", "Loud."] }), deleted)?.yes).toEqual(["Loud."]);
});
