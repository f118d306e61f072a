import { type ApiRequest, withTimeLimit } from "../../browser/requests/api-request-client.ts";
import type { NotesPage, NoteTotals } from "../../domain/notes-dto.ts";
import { type Interaction, interactions, NOTES_SHOWN } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import type { ShowQuery } from "../../domain/show-query.ts";
import { hasMembers } from "../../lib/has-members.ts";
import { newestTalliesOf } from "./sent-review.ts";

/** On the page of one show: the page of notes in the query, or how many notes there are. @throws when it cannot be loaded */
export async function loadShowNotes(
  request: ApiRequest,
  { notes, page }: ShowQuery,
  show: ListedShow,
  signal: AbortSignal,
): Promise<{ notesPage: NotesPage } | { noteTotals: NoteTotals }> {
  if (notes) return { notesPage: await loadNotesPage(request, show.id, notes, page, signal) };
  return { noteTotals: await loadNoteTotals(request, show, signal) };
}

async function loadNotesPage(
  request: ApiRequest,
  showId: string,
  interaction: Interaction,
  page: number,
  signal: AbortSignal,
): Promise<NotesPage> {
  const params = new URLSearchParams({ show_id: showId, answer: interaction, page: String(page) });
  const body = await request(`/api/reviews?${params}`, { signal: withTimeLimit(signal) });
  if (!isNotesPage(body)) throw new Error("The response is not the API's");
  return body;
}

/** False for the page of a captive portal. */
function isNotesPage(body: unknown): body is NotesPage {
  return hasMembers(body, "page", "page_size", "total", "notes") && Array.isArray(body.notes);
}

async function loadNoteTotals(
  request: ApiRequest,
  show: ListedShow,
  signal: AbortSignal,
): Promise<NoteTotals> {
  const tallies = newestTalliesOf(show);
  const counted = interactions.filter((interaction) => (tallies?.[interaction] ?? 0) > NOTES_SHOWN);
  const pages = counted.map(async (interaction) => {
    const { total } = await loadNotesPage(request, show.id, interaction, 1, signal);
    return [interaction, total] as const;
  });
  return Object.fromEntries((await Promise.all(pages)).filter(([, total]) => total > NOTES_SHOWN));
}
