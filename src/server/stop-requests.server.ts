import process from "node:process";

/** In ms. A parent that ended took its database with it, so that little is left to close. */
const SIGNAL_MS = 15_000;
const DISCONNECT_MS = 2_000;

/** A container's first process gets only these signals. The abort reason is the longest time of the stop, in ms. */
export function listenForStop(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort(SIGNAL_MS));
  process.on("disconnect", () => stopping.abort(DISCONNECT_MS));
  return stopping.signal;
}
