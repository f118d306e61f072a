import { SingleBar } from "cli-progress";
import type { Progress } from "../src/refresh/programme.server.ts";

/** Shows on the console how far a refresh has come: a bar on a terminal, elsewhere a line for each thousand shows. */
export function showProgress(): { update(progress: Progress): void; stop(): void } {
  if (!process.stderr.isTTY) return { update: sayThousands(), stop: () => {} };
  const format = "Fetching the programme {bar} {value}/{total} shows";
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

function sayThousands() {
  let said = 0;
  return ({ seen, total }: Progress) => {
    const thousands = Math.floor(seen / 1000);
    if (thousands <= said) return;
    said = thousands;
    console.error(`${count(seen)}${total === null ? "" : ` of ${count(total)}`} shows fetched`);
  };
}

/** A number as people write it: `3,893`. */
export function count(number: number): string {
  return number.toLocaleString("en-GB");
}
