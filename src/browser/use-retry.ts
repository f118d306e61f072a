import { useEffect, useEffectEvent } from "react";

/** In ms. */
export const RETRY_INTERVAL = 15_000;

/** In ms. An absurd header must not end the tries. */
const MAX_RETRY_WAIT = 5 * 60_000;

/** In ms. @param retryAfter of the response, in ms */
export function retryWait(retryAfter = 0): number {
  return Math.min(Math.max(retryAfter, RETRY_INTERVAL), MAX_RETRY_WAIT);
}

/** docs/product.md §8.11. @param wait in ms; null: nothing has failed */
export function useRetry(wait: number | null, retry: () => void): void {
  const retryIfVisible = useEffectEvent(() => {
    if (!document.hidden) retry();
  });
  useEffect(() => {
    if (wait === null) return;
    const stop = new AbortController();
    const listener = () => retryIfVisible();
    const timer = setInterval(listener, wait);
    window.addEventListener("online", listener, { signal: stop.signal });
    document.addEventListener("visibilitychange", listener, { signal: stop.signal });
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [wait]);
}
