import { type Answer, answers, type RevisedTallies, reviewCount } from "../domain/review.ts";
import { NEVER, type OrderKeys, SETS, withoutReviews } from "./show-order.server.ts";

/** The tallies of shows, under the number of each: a few bytes a show. */
export interface ShowTallies extends Pick<OrderKeys, "latest" | "given"> {
  set(number: number, tallies: RevisedTallies): void;
  /** How many times they have changed. */
  revision(number: number): number;
  /** The tallies as `GET /api/shows` sends them. */
  json(number: number): string;
  /** Those of some shows that have a review with any of these answers, which are some: in the order in which they come, until asked again. */
  withAny(answers: number, numbers: Uint32Array): Uint32Array;
}

const bit: Record<Answer, number> = { no: 1, very_little: 2, yes: 4 };

/** Answers as a set of bits. */
export function answerBits(chosen: readonly Answer[]): number {
  return chosen.reduce((bits, answer) => bits | bit[answer], 0);
}

/** For each set of answers, and each that was given: 1 if they have any in common, and else 0. */
const haveAny = Array.from({ length: SETS }, (_, set) =>
  Uint8Array.from({ length: SETS }, (_, given) => Number((set & given) !== 0)),
);

/** Tallies of `size` shows, of which none has a review. */
export function createShowTallies(size: number): ShowTallies {
  const { latest, given } = withoutReviews(size);
  const no = new Uint32Array(size);
  const veryLittle = new Uint32Array(size);
  const yes = new Uint32Array(size);
  const revisions = new Uint32Array(size);
  /** Room for all that are asked for at a time: new room for each search would be garbage. */
  const found = new Uint32Array(size);

  function latestAt(number: number): string {
    const at = latest[number] ?? NEVER;
    return at === NEVER ? "null" : `"${new Date(at).toISOString()}"`;
  }

  return {
    latest,
    given,
    set(number, tallies) {
      no[number] = tallies.no;
      veryLittle[number] = tallies.very_little;
      yes[number] = tallies.yes;
      revisions[number] = tallies.revision;
      given[number] = answerBits(answers.filter((answer) => tallies[answer] > 0));
      latest[number] = reviewCount(tallies) > 0 && tallies.latest_at ? Date.parse(tallies.latest_at) : NEVER;
    },
    revision: (number) => revisions[number] ?? 0,
    json(number) {
      return `{"no":${no[number]},"very_little":${veryLittle[number]},"yes":${yes[number]},"latest_at":${latestAt(number)}}`;
    },
    withAny(answers, numbers) {
      // A search may find tens of thousands. So `filter`, which calls a function for each, is not for here, nor is a condition, of which
      // the processor would guess the outcome, and be wrong for one of three.
      const isAny = haveAny[answers] ?? [];
      let count = 0;
      for (let index = 0; index < numbers.length; index++) {
        const number = numbers[index] ?? 0;
        found[count] = number;
        count += isAny[given[number] ?? 0] ?? 0;
      }
      return found.subarray(0, count);
    },
  };
}
