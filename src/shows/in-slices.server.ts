import { setImmediate as nextTurn } from "node:timers/promises";
import type { Batches } from "./show-source.server.ts";

/** How long work goes on at a time, in ms: so long may others have to wait for it. */
const SLICE = 0.5;

/** Steps between two looks at the clock. */
const STEPS = 16;

/** A turn of long work among everybody's: when it is over, the work awaits its next one. */
export interface Turn {
  isOver(): boolean;
  next(): Promise<void>;
}

export function takeTurns(): Turn {
  let end = performance.now() + SLICE;
  return {
    isOver: () => performance.now() > end,
    async next() {
      await nextTurn();
      end = performance.now() + SLICE;
    },
  };
}

/** Takes a step for each number from 0 up to, but not including, `count`, and lets others have their turn in between. */
export async function inSlices(count: number, step: (number: number) => void): Promise<void> {
  const turn = takeTurns();
  for (let number = 0; number < count; number++) {
    step(number);
    if (number % STEPS === 0 && turn.isOver()) await turn.next();
  }
}

/** Takes a step for each member of something long, and lets others have their turn in between. */
export async function eachOf<T>(batches: Batches<T>, step: (one: T) => void): Promise<void> {
  const turn = takeTurns();
  for await (const batch of batches) {
    for (const one of batch) {
      step(one);
      if (turn.isOver()) await turn.next();
    }
  }
}
