import { type Dispatch, type SetStateAction, useCallback, useEffect, useState } from "react";
import type { Review } from "../../domain/review-dto.ts";
import type { LoadedReviews } from "./loaded-reviews.ts";
import type { ReviewApi } from "./review-api-client.ts";

interface OwnReviewsOptions {
  userId: string | null;
  api: ReviewApi;
  setLoaded: Dispatch<SetStateAction<LoadedReviews>>;
}

/** Functions that change what is known about the user's reviews. They are stable. */
interface OwnReviews {
  /** Adds a review that was just saved. */
  add(userId: string, review: Review): void;
  /** Reloads: the user may have reviewed in another tab or on another device. */
  reload(): void;
}

/**
 * Loads the user's reviews at sign-in, after each review and when the tab is shown (docs/product.md §3.8).
 */
export function useOwnReviews({ userId, api, setLoaded }: OwnReviewsOptions): OwnReviews {
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((last) => last + 1), []);
  useOnVisible(reload);

  const add = useCallback(
    (userId: string, review: Review) => {
      setLoaded((last) => {
        const known = last.userId === userId ? last.byShow : [];
        return { userId, byShow: new Map(known).set(review.show_id, review) };
      });
      // A response in flight may not include it.
      reload();
    },
    [setLoaded, reload],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every version
  useEffect(() => {
    if (userId === null) return;
    const abort = new AbortController();
    api.loadOwnReviews(abort.signal).then(
      (byShow) => abort.signal.aborted || setLoaded({ userId, byShow }),
      (error) => abort.signal.aborted || console.error("Your reviews could not be loaded:", error),
    );
    return () => abort.abort();
  }, [api, userId, version]);

  return { add, reload };
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
