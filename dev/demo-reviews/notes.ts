import type { Interaction } from "../../src/domain/review.ts";
import { expand } from "../fake-festival-api/grammar.ts";
import type { Random } from "../fake-festival-api/random.ts";
import {
  adviceExtras,
  extras,
  livelyStory,
  noteParts,
  quietStory,
  signOffs,
  verdicts,
  verdictsOf,
} from "./words.ts";

/** In UTF-16 code units (docs/product.md §5.6). */
export const MAX_NOTES = 1000;

/** Mostly a sentence or two, sometimes up to a thousand characters with line breaks. */
export function inventNotes(interaction: Interaction, genre: string | null, random: Random): string {
  const own = verdictsOf[genre ?? ""]?.[interaction] ?? [];
  const verdict = random.pick(own.length > 0 && random.chance(0.25) ? own : verdicts[interaction]);
  const say = (phrase: string) => expand(phrase, noteParts, random);
  if (random.chance(0.03))
    return inventStory(say(verdict), (interaction === "no" ? quietStory : livelyStory).map(say), random);
  const more = random.shuffle(interaction === "no" ? extras : [...extras, ...adviceExtras, ...adviceExtras]);
  const count = random.weighted([
    [0, 5],
    [1, 4],
    [2, 2],
    [3, 1],
  ]);
  const notes = [...new Set([verdict, ...more.slice(0, count)])]
    .map(say)
    .join(random.chance(0.08) ? "\n" : " ");
  return withPersonalStyle(random.chance(0.12) ? `${notes} ${random.pick(signOffs)}` : notes, random);
}

/** A verdict, then as many sentences of a story as fit, in paragraphs. */
function inventStory(verdict: string, story: readonly string[], random: Random): string {
  const longest = random.pick([500, 750, MAX_NOTES, MAX_NOTES]);
  return story.reduce((notes, sentence) => {
    const longer = notes + (random.chance(0.25) ? "\n\n" : " ") + sentence;
    return longer.length > longest || random.chance(0.1) ? notes : longer;
  }, verdict);
}

/** Some users write only in lower case, a few only in capitals. */
function withPersonalStyle(notes: string, random: Random): string {
  if (random.chance(0.12)) return notes.toLowerCase().replace(/\.$/, "");
  return random.chance(0.02) ? notes.toUpperCase() : notes;
}
