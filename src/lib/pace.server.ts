import { setTimeout as delay } from "node:timers/promises";

/** In ms. */
const SLICE = 5;
/** In ms: a part that took longer has waited for something else, such as the database. */
const MAX_PAUSE = 100;

/**
 * For long work of the processor, which awaits the result between its parts: most of the event loop is left to
 * requests, so that none waits long enough to be refused.
 * @param rest in ms, for each ms of work
 */
export function createPace(rest = 3): () => Promise<void> {
  let since = performance.now();
  return async function pauseIfDue() {
    const took = performance.now() - since;
    if (took < SLICE) return;
    await delay(Math.min(rest * took, MAX_PAUSE));
    since = performance.now();
  };
}
