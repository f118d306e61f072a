import { type Answer, answers, type RevisedTallies, reviewCount } from "../reviews/review.ts";
import { NEVER, type OrderKeys } from "./show-order.server.ts";

/** The tallies of shows by rank, as bare numbers: a few bytes a show. */
export interface ShowTallies extends OrderKeys {
  set(rank: number, tallies: RevisedTallies): void;
  /** How many times they have changed. */
  revision(rank: number): number;
  /** The tallies as `GET /api/shows` sends them. */
  json(rank: number): string;
  /** Those of some ranks whose shows have a review with any of these answers, which are some: in the order in which they come. */
  withAny(answers: number, ranks: Uint32Array): Uint32Array;
}

const bit: Record<Answer, number> = { no: 1, very_little: 2, yes: 4 };

/** Answers as a set of bits. */
export function answerBits(chosen: readonly Answer[]): number {
  return chosen.reduce((bits, answer) => bits | bit[answer], 0);
}

/** Tallies of `size` shows, of which none has a review. */
export function createShowTallies(size: number): ShowTallies {
  const latest = new Float64Array(size).fill(NEVER);
  const given = new Uint8Array(size);
  const no = new Uint32Array(size);
  const veryLittle = new Uint32Array(size);
  const yes = new Uint32Array(size);
  const revisions = new Uint32Array(size);
  /** `latest` in ISO 8601, of those that somebody has asked for. */
  const latestAt: (string | undefined)[] = new Array(size);

  function latestAsText(rank: number): string {
    const at = latest[rank] ?? NEVER;
    latestAt[rank] ??= at === NEVER ? "null" : `"${new Date(at).toISOString()}"`;
    return latestAt[rank];
  }

  return {
    latest,
    given,
    set(rank, tallies) {
      no[rank] = tallies.no;
      veryLittle[rank] = tallies.very_little;
      yes[rank] = tallies.yes;
      revisions[rank] = tallies.revision;
      given[rank] = answerBits(answers.filter((answer) => tallies[answer] > 0));
      latest[rank] = reviewCount(tallies) > 0 && tallies.latest_at ? Date.parse(tallies.latest_at) : NEVER;
      latestAt[rank] = undefined;
    },
    revision: (rank) => revisions[rank] ?? 0,
    json(rank) {
      return `{"no":${no[rank]},"very_little":${veryLittle[rank]},"yes":${yes[rank]},"latest_at":${latestAsText(rank)}}`;
    },
    withAny(answers, ranks) {
      // A loop, and not `filter`, which calls a function for each: a search may find tens of thousands.
      const found = new Uint32Array(ranks.length);
      let size = 0;
      for (const rank of ranks) if (((given[rank] ?? 0) & answers) !== 0) found[size++] = rank;
      return found.subarray(0, size);
    },
  };
}
