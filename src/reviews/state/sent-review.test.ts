import { expect, test } from "vitest";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import { type Interaction, NOTES_SHOWN } from "../../domain/review.ts";
import type { Review } from "../../domain/review-dto.ts";
import { newestNotes, newestTallies, type SentReview } from "./sent-review.ts";

const at = (second: number) => new Date(Date.UTC(2025, 7, 4, 12, 0, second)).toISOString();

function review(interaction: Interaction, notes: string | null, second: number): Review {
  return { show_id: "s1", user_id: "u1", audience_interaction: interaction, notes, created_at: at(second) };
}

/** Loaded notes of one show by interaction. Each is a second older than the previous one. */
function loaded(texts: Partial<Record<Interaction, string[]>>, revision = 0, more = 0) {
  const notesOf = (interaction: Interaction) => {
    const notes = (texts[interaction] ?? []).map((notes, index) => ({
      id: `n${index}`,
      notes,
      created_at: at(30 - index),
    }));
    return { count: notes.length, total: notes.length + more, notes };
  };
  return { no: notesOf("no"), very_little: notesOf("very_little"), yes: notesOf("yes"), revision };
}

function newestTexts(loadedNotes: ShowNotes | undefined, sent: SentReview | undefined) {
  const notes = newestNotes(loadedNotes, sent);
  const textsOf = (interaction: Interaction) => notes?.[interaction].notes.map((note) => note.notes);
  return notes && { no: textsOf("no"), very_little: textsOf("very_little"), yes: textsOf("yes") };
}

const tally = (yes: number, revision: number) => ({ no: 0, very_little: 0, yes, latest_at: null, revision });
const saved = (review: Review) => ({ review, isDeleted: false, tallies: tally(1, 1) });

test("tallies with the greater revision win, or the only known ones", () => {
  const [older, newer] = [tally(2, 7), tally(1, 8)];
  expect(newestTallies(older, newer)).toBe(newer);
  expect(newestTallies(newer, older)).toBe(newer);
  expect(newestTallies(undefined, older)).toBe(older);
  expect(newestTallies(older, undefined)).toBe(older);
  expect(newestTallies(undefined, undefined)).toBeUndefined();
});

const five = Array.from({ length: NOTES_SHOWN }, (_, index) => `${index}`);
const both = { yes: ["Loud.", "Wet."] };
const twice = { yes: ["Loud.", "Loud."] };
const deleted = { ...saved(review("yes", "Loud.", 30)), isDeleted: true };
const newest = saved(review("yes", "new", 40));
const changed = saved(review("very_little", "A bit.", 30));

test.each<[string, ShowNotes | undefined, SentReview | undefined, object | undefined]>([
  ["unknown until loaded", undefined, undefined, undefined],
  ["the loaded ones without a saved review", loaded(both), undefined, both],
  ["a saved one before the loaded ones", undefined, saved(review("no", "Calm.", 40)), { no: ["Calm."] }],
  ["a saved one once that is loaded already", loaded(both), saved(review("yes", "Loud.", 30)), both],
  ["none for a saved review without", loaded(both), saved(review("yes", null, 40)), both],
  ["none of a review that is gone in a later revision", loaded({}, 2), saved(review("yes", "Loud.", 40)), {}],
  ["a saved one of that revision", loaded({}, 0), saved(review("yes", "Loud.", 40)), { yes: ["Loud."] }],
  ["equal ones of others, not the deleted one", loaded(twice), deleted, { yes: ["Loud."] }],
  ["a saved one, not the oldest", loaded({ yes: five }), newest, { yes: ["new", ...five.slice(0, -1)] }],
  // The earlier one has the time of the saved one.
  [
    "a saved one, not its earlier version",
    loaded(twice),
    changed,
    { yes: ["Loud."], very_little: ["A bit."] },
  ],
])("the notes are %s", (_, loadedNotes, sent, expected) => {
  const all = { no: [], very_little: [], yes: [], ...expected };
  expect(newestTexts(loadedNotes, sent)).toEqual(expected && all);
});

test.each<[string, ShowNotes | undefined, SentReview | undefined, number, number]>([
  ["as loaded", loaded({ yes: five }, 0, 85), undefined, 90, 85],
  ["one more for a new one", loaded({ yes: five }, 0, 85), newest, 91, 85],
  [
    "the same for another version of one that is only counted",
    loaded({ yes: five }, 0, 85),
    saved(review("yes", "Louder.", 1)),
    ...([90, 85] as const),
  ],
  [
    "the same for its other version",
    loaded({ yes: five }, 0, 85),
    saved(review("yes", "Louder.", 30)),
    90,
    85,
  ],
  ["one less for a deleted one", loaded({ yes: five }, 0, 85), deleted, 89, 85],
  ["one less where it was, and one more where it is", loaded({ yes: five }, 0, 85), changed, 89, 86],
  ["one of a sent one alone", undefined, newest, 1, 0],
])("the number of notes is %s", (_, loadedNotes, sent, yes, veryLittle) => {
  const notes = newestNotes(loadedNotes, sent);
  expect([notes?.yes.total, notes?.very_little.total]).toEqual([yes, veryLittle]);
});
