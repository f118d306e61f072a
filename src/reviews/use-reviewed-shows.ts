import { useCallback, useEffect, useState } from "react";
import type { ReviewApi } from "./review-api-client.ts";

interface ReviewedShows {
  userId: string;
  showIds: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** The shows that the signed-in user has reviewed, as far as it is known, and what adds one to them. */
export function useReviewedShows(
  userId: string | null,
  api: ReviewApi,
): [ReadonlySet<string>, (userId: string, showId: string) => void] {
  const [known, setKnown] = useState<ReviewedShows | null>(null);

  const add = useCallback((userId: string, ...added: string[]) => {
    setKnown((last) => ({ userId, showIds: new Set([...(last?.userId === userId ? last.showIds : []), ...added]) }));
  }, []);

  useEffect(() => {
    if (userId === null) return;
    const abort = new AbortController();
    api.loadReviewedShows(abort.signal).then(
      (showIds) => abort.signal.aborted || add(userId, ...showIds),
      (error) => abort.signal.aborted || console.error("Your reviews could not be loaded:", error),
    );
    return () => abort.abort();
  }, [api, userId, add]);

  return [known !== null && known.userId === userId ? known.showIds : none, add];
}
