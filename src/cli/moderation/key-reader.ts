import { CommandError } from "../command.ts";

export interface KeyReader {
  /** The next key that is pressed; `q` when the input has ended. Keys pressed before the call are dropped. */
  next(): Promise<string>;
  close(): void;
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** Reads keys from the terminal. @throws CommandError if there is none */
export function createKeyReader(input = process.stdin): KeyReader {
  if (!input.isTTY) {
    throw new CommandError(
      "decide reads keys from a terminal, and this is none. Name a report: decide <report id> <decision>.",
    );
  }
  let resolveNext: ((key: string) => void) | null = null;
  const onKey = (chunk: Buffer) => {
    const key = String(chunk);
    resolveNext?.(key === CTRL_C || key === CTRL_D ? "q" : key);
  };
  const onEnd = () => resolveNext?.("q");
  input.setRawMode(true).on("data", onKey).on("end", onEnd);
  return {
    next: () =>
      new Promise((resolve) => {
        resolveNext = resolve;
      }),
    close() {
      input.setRawMode(false).off("data", onKey).off("end", onEnd).pause();
    },
  };
}
