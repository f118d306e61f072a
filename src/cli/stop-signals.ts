import { constants } from "node:os";
import { printError } from "./console.ts";

export class StoppedError extends Error {
  override name = "StoppedError";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("A signal has ended the command");
    this.exitCode = exitCode;
  }
}

/** SIGINT, SIGTERM and SIGHUP abort the signal until `release`. `exitCode` is the conventional one. */
export function abortOnSignals(): { signal: AbortSignal; exitCode(): number; release(): void } {
  const controller = new AbortController();
  let stoppedBy: NodeJS.Signals = "SIGINT";
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const abort = (name: NodeJS.Signals) => {
    stoppedBy = name;
    controller.abort();
  };
  for (const name of names) process.on(name, abort);
  return {
    signal: controller.signal,
    exitCode: () => 128 + constants.signals[stoppedBy],
    release: () => names.forEach((name) => void process.off(name, abort)),
  };
}

/** @param message printed after a signal. @throws StoppedError then */
export async function stoppable<T>(message: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, exitCode, release } = abortOnSignals();
  try {
    return await task(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    if (message) printError(message);
    throw new StoppedError(exitCode());
  } finally {
    if (!signal.aborted) release(); // npm repeats the signal that a terminal has sent
  }
}
