import { useCallback, useEffect, useState } from "react";
import { PROPAGATION_DELAY } from "./newest-tallies.ts";
import type { NoteTexts, ReviewApi } from "./review-api-client.ts";

const none: ReadonlyMap<string, NoteTexts> = new Map();

/**
 * Returns the newest notes of the shows on screen, and a function that reloads them after a review
 * (docs/product.md §4.4). Notes are loaded after hydration and for every new list, compared by identity.
 * Until then, and when loading fails, the last ones stay.
 */
export function useNotes(
  list: object,
  showIds: string[],
  api: ReviewApi,
): [ReadonlyMap<string, NoteTexts>, () => void] {
  const [notes, setNotes] = useState(none);
  const [version, setVersion] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every list and version
  useEffect(() => {
    if (showIds.length === 0) return;
    const abort = new AbortController();
    api.loadNotes(showIds, abort.signal).then(setNotes, (error) => {
      if (!abort.signal.aborted) console.error("Reviews could not be loaded:", error);
    });
    return () => abort.abort();
  }, [api, list, version]);

  const reload = useCallback(() => {
    const load = () => setVersion((last) => last + 1);
    load();
    // Again when every instance has the review: the first request may have reached one that does not.
    setTimeout(load, PROPAGATION_DELAY);
  }, []);
  return [notes, reload];
}
