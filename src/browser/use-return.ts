import { useEffect, useEffectEvent } from "react";

/** In ms. */
const MAX_HIDDEN = 5 * 60_000;

/** docs/product.md §2.19 */
export function useReturn(refresh: () => void, maxHidden = MAX_HIDDEN): void {
  const onReturn = useEffectEvent(refresh);
  useEffect(() => {
    const stop = new AbortController();
    let hiddenAt = Date.now();
    function onVisibilityChange(): void {
      if (document.hidden) hiddenAt = Date.now();
      else if (Date.now() - hiddenAt >= maxHidden) onReturn();
    }
    function onPageShow({ persisted }: PageTransitionEvent): void {
      if (persisted) onReturn();
    }
    document.addEventListener("visibilitychange", onVisibilityChange, { signal: stop.signal });
    window.addEventListener("pageshow", onPageShow, { signal: stop.signal });
    return () => stop.abort();
  }, [maxHidden]);
}
