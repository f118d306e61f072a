import type { ApiRequest } from "../../browser/api-request-client.ts";
import { withTimeLimit } from "../../browser/time-limit-client.ts";
import { notesByShow, type ShowNotes } from "../../domain/notes-dto.ts";

/** Loads the newest notes of 1 to 20 shows, by show. @throws when they cannot be loaded */
export async function loadNotes(
  request: ApiRequest,
  showIds: string[],
  signal: AbortSignal,
): Promise<Map<string, ShowNotes>> {
  const params = new URLSearchParams(showIds.map((id) => ["show_id", id]));
  const { reviews } = notesByShow.parse(
    await request(`/api/reviews?${params}`, { signal: withTimeLimit(signal) }),
  );
  return new Map(Object.entries(reviews));
}
