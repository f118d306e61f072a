import { foldForSearch, shortestSpelling, spellingKey } from "./search-folding.ts";
import type { SearchIndex } from "./search-texts.ts";

interface Options extends Pick<SearchIndex, "foldedFields" | "withTrigram"> {
  /** As people read them. */
  fieldsOf(rank: number): readonly string[];
}

/** Words of a show, folded. An edit drops, adds or replaces a letter, or swaps it with the next one. */
interface Match {
  edits: number;
  from: number;
  to: number;
}

/** In letters of a search times letters of texts. Bounds the time of a search that found nothing: some ms on a phone. */
const MAX_STEPS = 50_000;

/** Of a search: more than its edits can change. Bounds the time of a long one. */
const MAX_TRIGRAMS = 24;

/** One edit changes at most 4 trigrams. */
const TRIGRAMS_OF_EDIT = 4;

/** Returns the words of a show that are nearest to a search with typing errors (docs/product.md §2.26). */
export function createSuggestions({ fieldsOf, foldedFields, withTrigram }: Options) {
  return (search: string): string | undefined => {
    const folded = foldForSearch(search);
    const wanted = shortestSpelling(folded);
    const { length } = wanted;
    const maxEdits = length >= 12 ? 3 : length >= 8 ? 2 : length >= 4 ? 1 : 0;
    let best: (Match & { field: string; rank: number; score: number }) | undefined;
    let steps = 0;
    const trigrams = maxEdits > 0 ? trigramsOf(spellingKey(folded)) : [];
    const fewestCommon = () => trigrams.length - TRIGRAMS_OF_EDIT * (best?.edits ?? maxEdits);
    for (const [rank, common] of mostSimilar(trigrams, withTrigram, fewestCommon())) {
      if (common < fewestCommon() || steps > MAX_STEPS) break;
      const texts = foldedFields(rank);
      for (const [index, field] of fieldsOf(rank).entries()) {
        const text = texts[index] ?? "";
        const isTooShort = text.length < length - maxEdits;
        if (isTooShort) continue;
        steps += text.length * length;
        const match = nearest(text, wanted);
        const isWhole = match.to - match.from === text.length;
        const score = 2 * match.edits + (isWhole ? 0 : 1);
        const isBetter = !best || score < best.score || (score === best.score && rank < best.rank);
        if (match.edits <= maxEdits && isBetter) best = { ...match, field, rank, score };
      }
    }
    return best && wordsAt(best.field, best);
  };
}

function trigramsOf(key: string): string[] {
  const all = Array.from({ length: Math.max(0, key.length - 2) }, (_, at) => key.slice(at, at + 3));
  return [...new Set(all)].slice(0, MAX_TRIGRAMS);
}

/** Ranks of shows with their number of common trigrams, at least `fewest`, the most similar first. */
function mostSimilar(
  trigrams: string[],
  withTrigram: Options["withTrigram"],
  fewest: number,
): [rank: number, common: number][] {
  const common = new Map<number, number>();
  for (const trigram of trigrams)
    for (const rank of withTrigram(trigram)) common.set(rank, (common.get(rank) ?? 0) + 1);
  return [...common].filter(([, count]) => count >= fewest).sort(([a, ofA], [b, ofB]) => ofB - ofA || a - b);
}

/** Of a cell below: one edit. The rest of the number is where its words begin, less than this. */
const EDIT = 2 ** 16;

/** No words end or begin here. */
const NOWHERE = 2 ** 30;

/** The words of the text with the smallest Damerau–Levenshtein distance to all of `wanted`. */
function nearest(text: string, wanted: string): Match {
  let best: Match = { edits: Number.POSITIVE_INFINITY, from: 0, to: 0 };
  // For each number of wanted letters, the nearest words that end at this place of the text.
  let cells = new Int32Array(wanted.length + 1);
  let last = cells.map((_, count) => count * EDIT);
  let before = new Int32Array(wanted.length + 1);
  for (let end = 1; end <= text.length; end++) {
    cells[0] = text[end - 1] === " " ? end : NOWHERE;
    for (let count = 1; count <= wanted.length; count++) {
      const isSame = text[end - 1] === wanted[count - 1];
      const isSwapped = text[end - 1] === wanted[count - 2] && text[end - 2] === wanted[count - 1];
      cells[count] = Math.min(
        (last[count - 1] ?? 0) + (isSame ? 0 : EDIT),
        (last[count] ?? 0) + EDIT,
        (cells[count - 1] ?? 0) + EDIT,
        isSwapped ? (before[count - 2] ?? 0) + EDIT : NOWHERE,
      );
    }
    const cell = cells[wanted.length] ?? 0;
    const edits = Math.floor(cell / EDIT);
    if (edits < best.edits && (text[end] ?? " ") === " ") best = { edits, from: cell % EDIT, to: end };
    [before, last, cells] = [last, cells, before];
  }
  return best;
}

/** As people read them. A word that has only signs counts where it stands between others. */
function wordsAt(field: string, { from, to }: Match): string {
  let end = -1;
  const words = field.split(/\s+/).filter((word) => {
    const { length } = shortestSpelling(foldForSearch(word));
    const start = end + 1;
    if (length > 0) end = start + length;
    return start < to && end > from;
  });
  return words.join(" ").replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}
