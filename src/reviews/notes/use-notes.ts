import { useCallback, useEffect, useState } from "react";
import type { ApiRequest } from "../../browser/api-request-client.ts";
import { useRetry } from "../../browser/use-retry.ts";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import type { Review } from "../../domain/review-dto.ts";
import { loadNotes } from "./load-notes-client.ts";
import { type NewestNotes, newestNotes, type SentReview } from "./newest-notes.ts";

const nothingSaved: ReadonlyMap<string, SentReview> = new Map();

/**
 * Returns the newest notes of a show, and a function that adds the user's saved review (null: it was deleted)
 * and removes the one that it replaces. Notes are loaded after hydration and for every new list, compared by
 * identity (docs/product.md §4.4), and again when that failed. Until then the last ones stay, at first those
 * that came with the page.
 */
export function useNotes(
  list: object,
  showIds: string[],
  initial: Readonly<Record<string, ShowNotes>>,
  request: ApiRequest,
): [
  notesOf: (showId: string) => NewestNotes | undefined,
  add: (showId: string, sent: Pick<SentReview, "review" | "revision">, replaced: Review | undefined) => void,
] {
  const [loaded, setLoaded] = useState<ReadonlyMap<string, ShowNotes>>(
    () => new Map(Object.entries(initial)),
  );
  const [saved, setSaved] = useState(nothingSaved);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useRetry(failed, () => setAttempt((last) => last + 1));

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every list and attempt
  useEffect(() => {
    if (showIds.length === 0) return;
    const abort = new AbortController();
    loadNotes(request, showIds, abort.signal).then(
      (notes) => {
        setLoaded(notes);
        setFailed(false);
      },
      (error) => {
        if (abort.signal.aborted) return;
        console.error("Reviews could not be loaded:", error);
        setFailed(true);
      },
    );
    return () => abort.abort();
  }, [request, list, attempt]);

  const notesOf = useCallback(
    (showId: string) => newestNotes(loaded.get(showId), saved.get(showId)),
    [loaded, saved],
  );
  const add = useCallback(
    (showId: string, sent: Pick<SentReview, "review" | "revision">, replaced: Review | undefined) => {
      setSaved((last) => {
        const { review: before, replaced: longAgo = [] } = last.get(showId) ?? {};
        const earlier = before ? [...longAgo, before] : longAgo;
        return new Map(last).set(showId, { ...sent, replaced: replaced ? [...earlier, replaced] : earlier });
      });
    },
    [],
  );
  return [notesOf, add];
}
