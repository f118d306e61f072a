import { type Answer, answers, reviewCount, type Tallies } from "../reviews/review.ts";
import { NEVER, type OrderKeys } from "./show-order.server.ts";

/** The tallies of shows by rank, as bare numbers: a few bytes a show. */
export interface ShowTallies extends OrderKeys {
  set(rank: number, tallies: Tallies): void;
  /** The tallies as `GET /api/shows` sends them. */
  json(rank: number): string;
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
  const latestAt: (string | null)[] = new Array(size).fill(null);
  return {
    latest,
    given,
    set(rank, tallies) {
      no[rank] = tallies.no;
      veryLittle[rank] = tallies.very_little;
      yes[rank] = tallies.yes;
      given[rank] = answerBits(answers.filter((answer) => tallies[answer] > 0));
      latest[rank] = reviewCount(tallies) > 0 && tallies.latest_at ? Date.parse(tallies.latest_at) : NEVER;
      latestAt[rank] = tallies.latest_at;
    },
    json(rank) {
      const at = latestAt[rank] ? `"${latestAt[rank]}"` : "null";
      return `{"no":${no[rank]},"very_little":${veryLittle[rank]},"yes":${yes[rank]},"latest_at":${at}}`;
    },
  };
}
