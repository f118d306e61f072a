import { type Dispatch, type SetStateAction, useCallback, useEffect, useState } from "react";
import { type SignedInRequest, SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { useRetry } from "../../browser/use-retry.ts";
import { useReturn } from "../../browser/use-return.ts";
import type { OwnReview, Review } from "../../domain/review-dto.ts";
import { loadOwnReviews } from "./own-data-client.ts";

/** The reviews of a signed-in user, by show. */
export interface LoadedReviews {
  /** Null until they are loaded. */
  userId: string | null;
  byShow: ReadonlyMap<string, OwnReview>;
  /** Whether the last attempt to load them failed. */
  failed?: boolean;
}

interface OwnReviewsOptions {
  userId: string | null;
  send: SignedInRequest;
  /** Whether the last attempt to load them failed. */
  failed: boolean;
  setLoaded: Dispatch<SetStateAction<LoadedReviews>>;
}

/** Functions that change what is known about the user's reviews. */
interface OwnReviews {
  /** Adds a review that was just saved. */
  add(userId: string, review: Review): void;
  /** Removes a review that was just deleted. */
  remove(showId: string): void;
  /** Reloads: the user may have reviewed in another tab or on another device. It is stable. */
  reload(): void;
}

/**
 * Loads the user's reviews at sign-in, after each review, when the tab is shown (docs/product.md §3.8), and
 * again when that failed.
 */
export function useOwnReviews({ userId, send, failed, setLoaded }: OwnReviewsOptions): OwnReviews {
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((last) => last + 1), []);
  useOnVisible(reload);
  useReturn(reload);
  useRetry(failed, reload);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every version
  useEffect(() => {
    if (userId === null) return;
    const abort = new AbortController();
    loadOwnReviews(send, userId, abort.signal).then(
      (byShow) => abort.signal.aborted || setLoaded({ userId, byShow }),
      (error) => {
        if (abort.signal.aborted) return;
        if (error instanceof SignedOutError) return setLoaded({ userId, byShow: new Map() });
        console.error("Your reviews could not be loaded:", error);
        setLoaded((last) => ({ ...last, failed: true }));
      },
    );
    return () => abort.abort();
  }, [send, userId, version]);

  /** A response in flight may not have the change, so that it is loaded again. */
  function change(ofUser: string | null, edit: (byShow: Map<string, OwnReview>) => void): void {
    setLoaded((last) => {
      const byShow = new Map(last.userId === ofUser ? last.byShow : []);
      edit(byShow);
      return { userId: ofUser, byShow };
    });
    reload();
  }

  return {
    // The response does not repeat the show.
    add: (ofUser, review) =>
      change(ofUser, (byShow) => byShow.set(review.show_id, { ...byShow.get(review.show_id), ...review })),
    remove: (showId) => change(userId, (byShow) => byShow.delete(showId)),
    reload,
  };
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
