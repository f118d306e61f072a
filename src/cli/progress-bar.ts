import { SingleBar } from "cli-progress";

/** How far a piece of work has come; the total is null as long as nobody knows it. */
export interface Progress {
  seen: number;
  total: number | null;
}

/** What is done with what: `Fetching the programme …`, `1,000 of 3,893 shows fetched`. */
interface Work {
  doing: string;
  things: string;
  done: string;
}

/** Shows on the console how far a piece of work has come: a bar on a terminal, elsewhere a line for each thousand. */
export function showProgress({ doing, things, done }: Work): { update(progress: Progress): void; stop(): void } {
  if (!process.stderr.isTTY) return { update: sayThousands(`${things} ${done}`), stop: () => {} };
  const format = `${doing} {bar} {value}/{total} ${things}`;
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: true });
  return {
    update: ({ seen, total }: Progress) => {
      const all = Math.max(total ?? 0, seen);
      if (!bar.isActive) bar.start(all, seen);
      bar.setTotal(all);
      bar.update(seen);
    },
    stop: () => bar.stop(),
  };
}

/** How the coming in of the programme is shown. */
export const fetching: Work = { doing: "Fetching the programme", things: "shows", done: "fetched" };

function sayThousands(what: string) {
  let said = 0;
  return ({ seen, total }: Progress) => {
    const thousands = Math.floor(seen / 1000);
    if (thousands <= said) return;
    said = thousands;
    console.error(`${count(seen)}${total === null ? "" : ` of ${count(total)}`} ${what}`);
  };
}

/** A number as people write it: `3,893`. */
export function count(number: number): string {
  return number.toLocaleString("en-GB");
}

/** A number of things as people write it: `1 show`, `3,893 shows`. */
export function plural(number: number, thing: string, things = `${thing}s`): string {
  return `${count(number)} ${number === 1 ? thing : things}`;
}
