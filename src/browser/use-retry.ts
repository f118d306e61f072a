import { useEffect, useEffectEvent } from "react";

/** In ms. */
export const RETRY_INTERVAL = 15_000;

/** docs/product.md §8.11 */
export function useRetry(failed: boolean, retry: () => void): void {
  const retryIfVisible = useEffectEvent(() => {
    if (!document.hidden) retry();
  });
  useEffect(() => {
    if (!failed) return;
    const stop = new AbortController();
    const listener = () => retryIfVisible();
    const timer = setInterval(listener, RETRY_INTERVAL);
    window.addEventListener("online", listener, { signal: stop.signal });
    document.addEventListener("visibilitychange", listener, { signal: stop.signal });
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [failed]);
}
