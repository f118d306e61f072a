/** An AbortSignal that SIGINT or SIGTERM aborts, and the exit code by convention: 130 or 143. */
export function abortOnSignals(): { signal: AbortSignal; exitCode(): number } {
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
