/** Notes of a review, and whose they are. */
export interface AuthoredNotes {
  userId: string;
  showId: string;
  notes: string;
}

/** The share of all words of two notes that both must have. */
const SIMILAR = 0.6;

/** Fewer words are equal by chance. */
const MIN_WORDS = 6;

/** Accounts that must have written nearly the same. */
const MIN_ACCOUNTS = 3;

interface Cluster<T> {
  words: ReadonlySet<string>;
  members: T[];
}

/** Groups of nearly equal notes, by their words without case and punctuation, of three accounts or more. */
export function clusterSimilarNotes<T extends AuthoredNotes>(all: readonly T[]): T[][] {
  const clusters: Cluster<T>[] = [];
  for (const authored of all) {
    const words = wordsOf(authored.notes);
    if (words.size < MIN_WORDS) continue;
    const cluster = clusters.find((other) => similarity(words, other.words) >= SIMILAR);
    if (cluster) cluster.members.push(authored);
    else clusters.push({ words, members: [authored] });
  }
  return clusters
    .map(({ members }) => members)
    .filter((members) => new Set(members.map(({ userId }) => userId)).size >= MIN_ACCOUNTS);
}

function wordsOf(notes: string): ReadonlySet<string> {
  return new Set(notes.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Jaccard's index: the share of common words, from 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = a.intersection(b).size;
  return common / (a.size + b.size - common);
}
