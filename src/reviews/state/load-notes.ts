import { type ApiRequest, withTimeLimit } from "../../browser/requests/api-request-client.ts";
import type { NotesByShow, NotesPage } from "../../domain/notes-dto.ts";
import { type Interaction, interactions } from "../../domain/review.ts";
import { hasMembers } from "../../lib/has-members.ts";

/** The newest notes of shows, by id. @throws when they cannot be loaded */
export async function loadNotes(request: ApiRequest, showIds: string[], signal: AbortSignal) {
  const params = showIds.map((id) => ["show_id", id]);
  return new Map(Object.entries((await requestNotes(request, params, signal, isNotesByShow)).reviews));
}

/** Of all notes of a show for an interaction (docs/product.md §4.8). @throws when it cannot be loaded */
export function loadNotesPage(
  request: ApiRequest,
  showId: string,
  interaction: Interaction,
  page: number,
  signal: AbortSignal,
): Promise<NotesPage> {
  const params = { show_id: showId, answer: interaction, page: String(page) };
  return requestNotes(request, params, signal, isNotesPage);
}

async function requestNotes<Notes>(
  request: ApiRequest,
  params: string[][] | Record<string, string>,
  signal: AbortSignal,
  isNotes: (body: unknown) => body is Notes,
): Promise<Notes> {
  const path = `/api/reviews?${new URLSearchParams(params)}`;
  const body = await request(path, { signal: withTimeLimit(signal) });
  if (!isNotes(body)) throw new Error("The response is not the API's");
  return body;
}

// False for the page of a captive portal.

function isNotesByShow(body: unknown): body is NotesByShow {
  return (
    hasMembers(body, "reviews") &&
    Object.values(Object(body.reviews)).every((notes) => hasMembers(notes, "revision", ...interactions))
  );
}

function isNotesPage(body: unknown): body is NotesPage {
  return hasMembers(body, "page", "total", "notes") && Array.isArray(body.notes);
}
