import { vi } from "vitest";

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs a command in the test's process, because a new process takes a second. One at a time. Removes the signal handlers
 * that the command leaves. @returns its result, usually an exit code, and its output
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
