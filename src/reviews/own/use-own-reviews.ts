import { type Dispatch, type SetStateAction, useCallback, useEffect, useState } from "react";
import { useRetry } from "../../browser/use-retry.ts";
import { useReturn } from "../../browser/use-return.ts";
import type { Review } from "../../domain/review-dto.ts";
import type { ReviewApi } from "../dialog/review-api-client.ts";
import type { LoadedReviews } from "./loaded-reviews.ts";

interface OwnReviewsOptions {
  userId: string | null;
  api: ReviewApi;
  /** Whether the last attempt to load them failed. */
  failed: boolean;
  setLoaded: Dispatch<SetStateAction<LoadedReviews>>;
}

/** Functions that change what is known about the user's reviews. They are stable. */
interface OwnReviews {
  /** Adds a review that was just saved. */
  add(userId: string, review: Review): void;
  /** Removes a review that was just deleted. */
  remove(showId: string): void;
  /** Reloads: the user may have reviewed in another tab or on another device. */
  reload(): void;
}

/**
 * Loads the user's reviews at sign-in, after each review, when the tab is shown (docs/product.md §3.8), and
 * again when that failed.
 */
export function useOwnReviews({ userId, api, failed, setLoaded }: OwnReviewsOptions): OwnReviews {
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((last) => last + 1), []);
  useOnVisible(reload);
  useReturn(reload);
  useRetry(failed, reload);

  const add = useCallback(
    (userId: string, review: Review) => {
      setLoaded((last) => {
        const known: LoadedReviews["byShow"] = last.userId === userId ? last.byShow : new Map();
        const byShow = new Map(known);
        // The response does not repeat the show.
        byShow.set(review.show_id, { ...byShow.get(review.show_id), ...review });
        return { userId, byShow };
      });
      // A response in flight may not include it.
      reload();
    },
    [setLoaded, reload],
  );

  const remove = useCallback(
    (showId: string) => {
      setLoaded((last) => {
        const byShow = new Map(last.byShow);
        byShow.delete(showId);
        return { ...last, byShow };
      });
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
      (error) => {
        if (abort.signal.aborted) return;
        console.error("Your reviews could not be loaded:", error);
        setLoaded((last) => ({ ...last, failed: true }));
      },
    );
    return () => abort.abort();
  }, [api, userId, version]);

  return { add, remove, reload };
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
