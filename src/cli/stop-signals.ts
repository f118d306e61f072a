/** A signal of ours that is aborted by Ctrl-C or a request to end, and the exit code that tells which of the two it was. */
export function listenForSignals(): { signal: AbortSignal; exitCode(): number } {
  const controller = new AbortController();
  let stoppedBy: "SIGINT" | "SIGTERM" = "SIGINT";
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      stoppedBy = name;
      controller.abort();
    });
  }
  return { signal: controller.signal, exitCode: () => (stoppedBy === "SIGINT" ? 130 : 143) };
}
