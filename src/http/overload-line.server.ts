/** Somebody in a line. */
interface Waiting {
  begin: () => void;
  giveUp: () => void;
}

interface LineOptions {
  /** In ms. */
  longestWait: number;
  /** This many may wait longer: where the line is short, it was not for the crowd that they had to. */
  handful: number;
  now: () => number;
}

/** How much of one turn of the event loop may go by before the rest has to stand in line, in ms. */
const SLICE = 10;

/** How long those in line begin one after the other in one turn, in ms. */
const SHARE = 1;

/**
 * Lets begin at once what comes while there is little to do. When there is much, a few begin in each turn of the event loop, in the order in
 * which they came, and those who have waited too long give up. With only one a turn, other work that makes turns long would keep the
 * line standing for seconds. Short turns are what lets newcomers in: libuv accepts one
 * connection a turn, so that in long ones a crowd waits at the door, unseen, for as many turns as it has heads.
 */
export function createLine({ longestWait, handful, now }: LineOptions): { join(waiting: Waiting): void } {
  const line: (Waiting & { since: number })[] = [];
  let turnBegan: number | null = null;

  function turn(): void {
    turnBegan = null;
    const time = now();
    while (line.length > handful && isLate(line[0], time)) line.shift()?.giveUp();
    beginUntil(time + SHARE);
  }

  /** A microtask comes after what those before it have done so far. */
  function beginUntil(end: number): void {
    line.shift()?.begin();
    if (line.length === 0) return;
    if (now() < end) queueMicrotask(() => beginUntil(end));
    else setTurn();
  }

  const isLate = (first: { since: number } | undefined, time: number) =>
    first !== undefined && time - first.since > longestWait;

  function setTurn(): number {
    setImmediate(turn);
    turnBegan = now();
    return turnBegan;
  }

  return {
    join(waiting) {
      const time = now();
      if (line.length === 0 && time - (turnBegan ?? setTurn()) < SLICE) waiting.begin();
      else line.push({ ...waiting, since: time });
    },
  };
}
