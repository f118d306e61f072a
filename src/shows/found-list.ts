import type { NotesPage, ShowNotes } from "../domain/notes-dto.ts";
import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";

/** The data of the list's screen, from the server or found by the browser. */
export interface FoundList {
  query: ShowQuery;
  list: ShowPage;
  /** On the page of one show, unless they cannot be read. */
  notes?: Readonly<Record<string, ShowNotes>> | undefined;
  notesPage?: NotesPage | undefined;
  reportMessage?: string | undefined;
}
