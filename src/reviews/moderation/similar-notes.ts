/** Notes of a review, and whose they are. */
export interface AuthoredNotes {
  userId: string;
  showId: string;
  notes: string;
  /** Only notes of the same block are compared. A note may be in several. */
  block: string;
}

/** The share of all words of two notes that both must have. */
const SIMILAR = 0.6;

/** Fewer words are equal by chance. */
const MIN_WORDS = 6;

/** Accounts that must have written nearly the same. */
const MIN_ACCOUNTS = 3;

/** Groups of nearly equal notes, by their words without case and punctuation, of three accounts or more. */
export function clusterSimilarNotes<T extends AuthoredNotes>(all: readonly T[]): T[][] {
  const clusters = new Map<string, Map<string, T>>();
  for (const block of Map.groupBy(all, (authored) => authored.block).values()) {
    for (const similar of splitBlock(block)) {
      const merged = new Map(similar.map((authored) => [keyOf(authored), authored]));
      for (const key of [...merged.keys()])
        for (const [other, authored] of clusters.get(key) ?? []) merged.set(other, authored);
      for (const key of merged.keys()) clusters.set(key, merged);
    }
  }
  return [...new Set(clusters.values())].map((cluster) => [...cluster.values()]).filter(isByEnough);
}

/** Splits the notes of a block into groups, each similar to its first one. */
function splitBlock<T extends AuthoredNotes>(block: readonly T[]): T[][] {
  const groups: { words: ReadonlySet<string>; members: T[] }[] = [];
  for (const authored of block) {
    const words = wordsOf(authored.notes);
    if (words.size < MIN_WORDS) continue;
    const group = groups.find((other) => similarity(words, other.words) >= SIMILAR);
    if (group) group.members.push(authored);
    else groups.push({ words, members: [authored] });
  }
  return groups.map(({ members }) => members);
}

/** One review of a user and show. */
function keyOf({ userId, showId }: AuthoredNotes): string {
  return `${userId} ${showId}`;
}

function isByEnough(cluster: readonly AuthoredNotes[]): boolean {
  return new Set(cluster.map(({ userId }) => userId)).size >= MIN_ACCOUNTS;
}

function wordsOf(notes: string): ReadonlySet<string> {
  return new Set(notes.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Jaccard's index: the share of common words, from 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = a.intersection(b).size;
  return common / (a.size + b.size - common);
}
