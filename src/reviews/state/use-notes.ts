import { useState } from "react";
import type { ApiRequest } from "../../browser/requests/api-request-client.ts";
import { useLoad } from "../../browser/use-load.ts";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import type { ListedShow } from "../../domain/show.ts";
import { loadNotes } from "./load-notes.ts";

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
