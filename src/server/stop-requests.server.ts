import process from "node:process";

/** How long a stop may take, in ms. When the parent is gone, so is its database, and little is left to close. */
const SIGNAL_MS = 15_000;
const DISCONNECT_MS = 2_000;

/**
 * Listens for the signals that stop the site, and for the loss of a parent process. The first process of a
 * container gets only the signals that it listens for, so this comes before everything else.
 * @returns aborted by the first of them; its reason is how long the stop may take, in ms
 */
export function listenForStop(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort(SIGNAL_MS));
  process.on("disconnect", () => stopping.abort(DISCONNECT_MS));
  return stopping.signal;
}
