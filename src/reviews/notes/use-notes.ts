import { useCallback, useEffect, useState } from "react";
import type { ApiRequest } from "../../browser/requests/api-request-client.ts";
import { withTimeLimit } from "../../browser/requests/time-limit-client.ts";
import { useRetry } from "../../browser/use-retry.ts";
import type { NotesByShow, ShowNotes } from "../../domain/notes-dto.ts";
import { interactions } from "../../domain/review.ts";
import type { Review } from "../../domain/review-dto.ts";
import { hasMembers } from "../../lib/has-members.ts";
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

/** Loads the newest notes of 1 to 20 shows, by show. @throws when they cannot be loaded */
export async function loadNotes(
  request: ApiRequest,
  showIds: string[],
  signal: AbortSignal,
): Promise<Map<string, ShowNotes>> {
  const params = new URLSearchParams(showIds.map((id) => ["show_id", id]));
  const body = await request(`/api/reviews?${params}`, { signal: withTimeLimit(signal) });
  if (!isNotesByShow(body)) throw new Error("The response is not the API's");
  return new Map(Object.entries(body.reviews));
}

/** Whether a response is the API's, and not that of a captive portal. */
function isNotesByShow(body: unknown): body is NotesByShow {
  return (
    hasMembers(body, "reviews") &&
    Object.values(Object(body.reviews)).every((notes) => hasMembers(notes, "revision", ...interactions))
  );
}
