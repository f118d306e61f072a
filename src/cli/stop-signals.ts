/**
 * An AbortSignal that SIGINT or SIGTERM aborts, and the exit code by convention: 130 or 143. After `release`
 * the signals end the process again.
 */
export function abortOnSignals(): { signal: AbortSignal; exitCode(): number; release(): void } {
  const controller = new AbortController();
  let stoppedBy: NodeJS.Signals = "SIGINT";
  const names = ["SIGINT", "SIGTERM"] as const;
  const abort = (name: NodeJS.Signals) => {
    stoppedBy = name;
    controller.abort();
  };
  for (const name of names) process.on(name, abort);
  return {
    signal: controller.signal,
    exitCode: () => (stoppedBy === "SIGINT" ? 130 : 143),
    release: () => names.forEach((name) => void process.off(name, abort)),
  };
}
