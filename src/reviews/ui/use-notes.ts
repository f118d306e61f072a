import { useCallback, useEffect, useState } from "react";
import { HEARD_EVERYWHERE } from "./newest-tallies.ts";
import type { NoteTexts, ReviewApi } from "./review-api-client.ts";

const none: ReadonlyMap<string, NoteTexts> = new Map();

/**
 * The newest notes of the shows on screen, and what loads them again after a review was written. They are loaded when the page has become interactive
 * and for every new list, which is told by its identity; until then, and when that fails, those loaded last stay.
 */
export function useNotes(
  list: object,
  showIds: string[],
  api: ReviewApi,
): [ReadonlyMap<string, NoteTexts>, () => void] {
  const [notes, setNotes] = useState(none);
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every list and every round
  useEffect(() => {
    if (showIds.length === 0) return;
    const abort = new AbortController();
    api.loadNotes(showIds, abort.signal).then(setNotes, (error) => {
      if (!abort.signal.aborted) console.error("Reviews could not be loaded:", error);
    });
    return () => abort.abort();
  }, [api, list, round]);

  const reload = useCallback(() => {
    const once = () => setRound((last) => last + 1);
    once();
    setTimeout(once, HEARD_EVERYWHERE);
  }, []);
  return [notes, reload];
}
