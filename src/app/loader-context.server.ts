import { createContext } from "react-router";
import type { Provider } from "../auth/session.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import type { NotesPage, NoteTotals, ShowNotes } from "../domain/notes-dto.ts";
import type { Operator } from "../domain/operator.ts";
import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";

export interface Site {
  catalogue: Catalogue;
  /** Null for a demo. */
  operator: Operator | null;
  origin: string;
  publicClientKey: string;
  /** Whether browsers save the list for use offline. */
  offline: boolean;
  providers: readonly Provider[];
  found?: FoundList | undefined;
}

export interface FoundList {
  query: ShowQuery;
  list: ShowPage;
  /** On the page of one show, unless they cannot be read. */
  notes?: Readonly<Record<string, ShowNotes>> | undefined;
  noteTotals?: NoteTotals | undefined;
  notesPage?: NotesPage | undefined;
  reportMessage?: string | undefined;
}

export const siteContext = createContext<Site>();
