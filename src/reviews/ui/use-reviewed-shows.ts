import { useCallback, useEffect, useState } from "react";
import type { ReviewApi } from "./review-api-client.ts";

interface ReviewedShows {
  userId: string;
  showIds: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

interface Reviewed {
  /** The shows that the signed-in user has reviewed; empty until they are loaded. */
  showIds: ReadonlySet<string>;
  /** Adds a show that was just reviewed. */
  add(userId: string, showId: string): void;
  /** Reloads: the user may have reviewed in another tab or on another device. */
  reload(): void;
}

/** Loads the reviewed shows at sign-in, after each review and when the tab is shown (docs/product.md §3.8). */
export function useReviewedShows(userId: string | null, api: ReviewApi): Reviewed {
  const [reviewed, setReviewed] = useState<ReviewedShows | null>(null);
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((last) => last + 1), []);
  useOnVisible(reload);

  const add = useCallback(
    (userId: string, showId: string) => {
      setReviewed((last) => ({ userId, showIds: new Set([...(last?.userId === userId ? last.showIds : []), showId]) }));
      // A response in flight may not include it.
      reload();
    },
    [reload],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every version
  useEffect(() => {
    if (userId === null) return;
    const abort = new AbortController();
    api.loadReviewedShows(abort.signal).then(
      (showIds) => abort.signal.aborted || setReviewed({ userId, showIds: new Set(showIds) }),
      (error) => abort.signal.aborted || console.error("Your reviews could not be loaded:", error),
    );
    return () => abort.abort();
  }, [api, userId, version]);

  return { showIds: reviewed !== null && reviewed.userId === userId ? reviewed.showIds : none, add, reload };
}

function useOnVisible(callback: () => void): void {
  useEffect(() => {
    function onChange(): void {
      if (document.visibilityState === "visible") callback();
    }
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, [callback]);
}
