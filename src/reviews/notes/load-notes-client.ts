import type { ApiRequest } from "../../browser/api-request-client.ts";
import { withTimeLimit } from "../../browser/time-limit-client.ts";
import type { NotesByShow, ShowNotes } from "../../domain/notes-dto.ts";
import { interactions } from "../../domain/review.ts";
import { hasMembers } from "../../lib/has-members.ts";

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
