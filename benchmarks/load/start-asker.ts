import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Load, Paths } from "./loads.ts";
import { type Steady, type SteadyLoad, steady } from "./steady.ts";

const program = fileURLToPath(new URL("asker.ts", import.meta.url));

/** Asks a server for the next paths of a load, so many a second for so many seconds. */
export type AskSteadily = (origin: string, load: Load, next: Paths, rate: number, seconds: number) => Promise<Steady>;

/** Whoever asks, one thing after the other, in a process of its own. It ends with the stack. */
export function startAsker(running: AsyncDisposableStack): AskSteadily {
  const child = fork(program, { execArgv: ["--expose-gc"] });
  running.defer(() => child.disconnect());
  const ended = once(child, "exit").then(() => Promise.reject(new Error("Whoever asks has ended")));
  ended.catch(() => {}); // of use to whoever waits for an answer
  return async (origin, { headers, status }, next, rate, seconds) => {
    const paths = Array.from({ length: rate * seconds }, next);
    child.send({ origin, headers, status, paths, rate } satisfies SteadyLoad);
    const [found] = await Promise.race([once(child, "message"), ended]);
    return steady.parse(found);
  };
}
