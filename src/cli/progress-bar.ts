import { SingleBar } from "cli-progress";

export interface Progress {
  seen: number;
  /** Null while unknown. */
  total: number | null;
}

/** For `Fetching the programme …` and `1,000 of 3,893 shows fetched`. */
interface ProgressTexts {
  doing: string;
  things: string;
  /** Without it, prints nothing without a terminal: cron would mail it. */
  done?: string;
}

/** A bar on a terminal; otherwise a line for every thousand or every 5 %, whichever is more. */
export function showProgress({ doing, things, done }: ProgressTexts) {
  if (!process.stderr.isTTY)
    return { update: done ? printSteps(`${things} ${done}`) : () => {}, stop: () => {} };
  const format = `${doing} {bar} {value}/{total} ${things}`;
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: true });
  return {
    update: ({ seen, total }: Progress) => {
      const max = Math.max(total ?? 0, seen);
      if (!bar.isActive) bar.start(max, seen);
      bar.setTotal(max);
      bar.update(seen);
    },
    stop: () => bar.stop(),
  };
}

export const fetchingProgramme: ProgressTexts = {
  doing: "Fetching the programme",
  things: "shows",
  done: "fetched",
};

function printSteps(label: string) {
  let printed = 0;
  return ({ seen, total }: Progress) => {
    const steps = Math.floor(seen / Math.max(1_000, (total ?? 0) / 20));
    if (steps <= printed) return;
    printed = steps;
    console.error(`${count(seen)}${total === null ? "" : ` of ${count(total)}`} ${label}`);
  };
}

export function count(number: number): string {
  return number.toLocaleString("en-GB");
}

export function plural(number: number, thing: string, things = `${thing}s`): string {
  return `${count(number)} ${number === 1 ? thing : things}`;
}
