import { expect, test } from "vitest";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import { type Interaction, interactions, NOTES_SHOWN } from "../../domain/review.ts";
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

type Shown = Partial<Record<Interaction, string[]>> & { total?: [yes: number, veryLittle: number] };

// A saved review has the time of its earlier version.
test.each<[string, ShowNotes | undefined, SentReview | undefined, Shown | undefined]>([
  ["unknown until loaded", undefined, undefined, undefined],
  ["the loaded ones without a saved review", loaded(both, 0, 85), undefined, { ...both, total: [87, 85] }],
  ["a saved one before the loaded ones", undefined, saved(review("no", "Calm.", 40)), { no: ["Calm."] }],
  ["a saved one once that is loaded already", loaded(both), saved(review("yes", "Loud.", 30)), both],
  ["none for a saved review without", loaded(both), saved(review("yes", null, 40)), both],
  ["none of a review that is gone in a later revision", loaded({}, 2), saved(review("yes", "Loud.", 40)), {}],
  ["a saved one of that revision", loaded({}, 0), saved(review("yes", "Loud.", 40)), { yes: ["Loud."] }],
  ["equal ones of others, not the deleted one", loaded(twice), deleted, { yes: ["Loud."] }],
  ["all but a deleted one", loaded({ yes: five }, 0, 85), deleted, { yes: five.slice(1), total: [89, 85] }],
  [
    "a new one, not the oldest",
    loaded({ yes: five }, 0, 85),
    newest,
    { yes: ["new", ...five.slice(0, -1)], total: [91, 85] },
  ],
  [
    "a saved one, not its earlier version",
    loaded({ yes: five }, 0, 85),
    changed,
    { yes: five.slice(1), very_little: ["A bit."], total: [89, 86] },
  ],
  [
    "as before for another version of one that is only counted",
    loaded({ yes: five }, 0, 85),
    saved(review("yes", "Louder.", 1)),
    { yes: five, total: [90, 85] },
  ],
])("the notes are %s", (_, loadedNotes, sent, expected) => {
  const notes = newestNotes(loadedNotes, sent);
  const { total, ...texts } = { no: [], very_little: [], yes: [], ...expected };
  const shown =
    notes && Object.fromEntries(interactions.map((of) => [of, notes[of].notes.map((note) => note.notes)]));
  expect(shown).toEqual(expected && texts);
  if (total) expect([notes?.yes.total, notes?.very_little.total]).toEqual(total);
});
