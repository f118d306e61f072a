import { useCallback, useEffect, useState } from "react";
import type { ReviewApi } from "./review-api-client.ts";

interface ReviewedShows {
  userId: string;
  showIds: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

interface Reviewed {
  /** The shows that the signed-in user has reviewed, as far as it is known. */
  showIds: ReadonlySet<string>;
  /** Adds one that was just reviewed. */
  add(userId: string, showId: string): void;
  /** Asks again: they may have reviewed in another tab or on another device. */
  reload(): void;
}

/** Asked for when somebody signs in, after each review, and when the page is looked at again. */
export function useReviewedShows(userId: string | null, api: ReviewApi): Reviewed {
  const [known, setKnown] = useState<ReviewedShows | null>(null);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  useWhenLookedAt(reload);

  const add = useCallback(
    (userId: string, showId: string) => {
      setKnown((last) => ({ userId, showIds: new Set([...(last?.userId === userId ? last.showIds : []), showId]) }));
      // An answer that is on its way may not know of it.
      reload();
    },
    [reload],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every round
  useEffect(() => {
    if (userId === null) return;
    const abort = new AbortController();
    api.loadReviewedShows(abort.signal).then(
      (showIds) => abort.signal.aborted || setKnown({ userId, showIds: new Set(showIds) }),
      (error) => abort.signal.aborted || console.error("Your reviews could not be loaded:", error),
    );
    return () => abort.abort();
  }, [api, userId, round]);

  return { showIds: known !== null && known.userId === userId ? known.showIds : none, add, reload };
}

function useWhenLookedAt(callback: () => void): void {
  useEffect(() => {
    function onChange(): void {
      if (document.visibilityState === "visible") callback();
    }
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, [callback]);
}
