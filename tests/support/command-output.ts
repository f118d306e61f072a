import { vi } from "vitest";

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs an operator's command in the test's own process, one at a time: a process of its own takes a second.
 * Its handlers of signals, which it leaves to the exit of its process, are removed.
 * @returns what it returns, an exit code as a rule, and what it has printed
 */
export async function captureOutput<Exit>(command: () => Promise<Exit>) {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const before = new Set(signals.flatMap((signal) => process.listeners(signal)));
  try {
    const exit = await command();
    return { exit, out: out.mock.calls.join(""), err: err.mock.calls.join("") };
  } finally {
    out.mockRestore();
    err.mockRestore();
    for (const signal of signals) {
      for (const listener of process.listeners(signal))
        if (!before.has(listener)) process.off(signal, listener);
    }
  }
}
