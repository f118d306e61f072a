import { useState } from "react";
import { type ApiRequest, withTimeLimit } from "../../browser/requests/api-request-client.ts";
import { useLoad } from "../../browser/use-load.ts";
import type { NotesByShow, ShowNotes } from "../../domain/notes-dto.ts";
import { interactions } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { hasMembers } from "../../lib/has-members.ts";

/** Loads for every new list, by identity (docs/product.md §4.4). Until then the last notes stay. */
export function useNotes(
  list: object,
  shows: readonly ListedShow[],
  initial: Readonly<Record<string, ShowNotes>>,
  request: ApiRequest,
): ReadonlyMap<string, ShowNotes> {
  const [loaded, setLoaded] = useState(() => new Map(Object.entries(initial)));
  useLoad({
    key: list,
    load: async (signal) => {
      const showIds = shows.map(({ id }) => id);
      if (showIds.length > 0) setLoaded(await loadNotes(request, showIds, signal));
    },
    failure: "Reviews could not be loaded:",
  });
  return loaded;
}

export async function loadNotes(request: ApiRequest, showIds: string[], signal: AbortSignal) {
  const params = new URLSearchParams(showIds.map((id) => ["show_id", id]));
  const body = await request(`/api/reviews?${params}`, { signal: withTimeLimit(signal) });
  if (!isNotesByShow(body)) throw new Error("The response is not the API's");
  return new Map(Object.entries(body.reviews));
}

/** False for the page of a captive portal. */
function isNotesByShow(body: unknown): body is NotesByShow {
  return (
    hasMembers(body, "reviews") &&
    Object.values(Object(body.reviews)).every((notes) => hasMembers(notes, "revision", ...interactions))
  );
}
