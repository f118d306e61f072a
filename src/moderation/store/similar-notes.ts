import { NOTES_MAX } from "../../domain/review.ts";

export interface AuthoredNotes {
  userId: string;
  notes: string;
  /** Hash of the beginning. Only notes with the same hash are compared. */
  prefixHash: string;
}

const SIMILAR = 0.6; // of all words of two notes, the share that both must have
const MIN_WORDS = 6; // fewer are equal by chance
export const MIN_ACCOUNTS = 3;
const MAX_COMPARED = 30; // notes; more must share a longer prefix
const LONGER_PREFIX = 32; // the first one, in UTF-16 code units; each next one is twice as long

/** Groups of nearly equal notes of at least three accounts. Case and punctuation do not count. */
export function clusterSimilarNotes<T extends AuthoredNotes>(all: readonly T[]): T[][] {
  return [...Map.groupBy(all, ({ prefixHash }) => prefixHash).values()]
    .flatMap((sharing) => splitByPrefix(sharing, LONGER_PREFIX))
    .flatMap(groupSimilar)
    .filter((group) => new Set(group.map(({ userId }) => userId)).size >= MIN_ACCOUNTS);
}

/** Uses ever longer prefixes, to bound the number of comparisons. */
function splitByPrefix<T extends AuthoredNotes>(sharing: readonly T[], length: number): (readonly T[])[] {
  if (sharing.length <= MAX_COMPARED || length > NOTES_MAX) return [sharing];
  return [...Map.groupBy(sharing, ({ notes }) => notes.slice(0, length).toLowerCase()).values()].flatMap(
    (longer) => splitByPrefix(longer, length * 2),
  );
}

/** Each group is similar to its first notes. */
function groupSimilar<T extends AuthoredNotes>(all: readonly T[]): T[][] {
  const groups: { words: Set<string>; members: T[] }[] = [];
  for (const authored of all) {
    const words = new Set(authored.notes.toLowerCase().match(/[\p{L}\p{N}]+/gu));
    if (words.size < MIN_WORDS) continue;
    const group = groups.find((other) => similarity(words, other.words) >= SIMILAR);
    if (group) group.members.push(authored);
    else groups.push({ words, members: [authored] });
  }
  return groups.map(({ members }) => members);
}

/** Jaccard's index: the share of common words, from 0 to 1. */
function similarity(a: Set<string>, b: Set<string>): number {
  const common = a.intersection(b).size;
  return common / (a.size + b.size - common);
}
