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

/**
 * Lets begin at once what comes while there is little to do. When there is much, one begins in each turn of the event loop, in the order in
 * which they came, and those who have waited too long give up. Short turns are what lets newcomers in: libuv accepts one
 * connection a turn, so that in long ones a crowd waits at the door, unseen, for as many turns as it has heads.
 */
export function createLine({ longestWait, handful, now }: LineOptions): { join(waiting: Waiting): void } {
  const line: (Waiting & { since: number })[] = [];
  let turnBegan: number | null = null;

  function turn(): void {
    turnBegan = null;
    const time = now();
    while (line.length > handful && isLate(line[0], time)) line.shift()?.giveUp();
    line.shift()?.begin();
    if (line.length > 0) setTurn();
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
