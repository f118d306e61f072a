import process from "node:process";

/** In ms. When the parent is gone, so is its database, and little is left to close. */
const SIGNAL_MS = 15_000;
const DISCONNECT_MS = 2_000;

/**
 * Aborts at a signal that stops the site, or when the parent process is gone. The first process of a
 * container gets only signals that it listens for, so this comes first.
 * @returns its reason is how long the stop may take, in ms
 */
export function listenForStop(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort(SIGNAL_MS));
  process.on("disconnect", () => stopping.abort(DISCONNECT_MS));
  return stopping.signal;
}
