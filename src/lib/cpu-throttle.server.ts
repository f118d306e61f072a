import { setTimeout as delay } from "node:timers/promises";

/** In ms. */
const SLICE = 5;
/** In ms: a part that took longer has waited for something else, such as the database. */
const MAX_PAUSE = 100;

/**
 * For CPU-bound work of more than some ms, which awaits the result between its parts: it yields the event loop to
 * requests, so that none waits long enough to be refused.
 * @param share of the event loop that the work may take
 */
export function createCpuThrottle(share = 1 / 4): () => Promise<void> {
  let since = performance.now();
  return async function throttle() {
    const took = performance.now() - since;
    if (took < SLICE) return;
    await delay(Math.min(took * (1 / share - 1), MAX_PAUSE));
    since = performance.now();
  };
}
