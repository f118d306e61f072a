import { createContext } from "react-router";
import type { Provider } from "../auth/session.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import type { ShowNotes } from "../domain/notes-dto.ts";
import type { Operator } from "../domain/operator.ts";
import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";

export interface Site {
  catalogue: Catalogue;
  /** Null for a demo. */
  operator: Operator | null;
  origin: string;
  publicClientKey: string;
  /** Those that the operator has set up. */
  providers: readonly Provider[];
  found?: FoundList | undefined;
}

export interface FoundList {
  query: ShowQuery;
  list: ShowPage;
  /** The notes of the show that has the page for itself, by its id, unless they cannot be read. */
  notes?: Readonly<Record<string, ShowNotes>> | undefined;
  /** What to say of a report that was sent without scripts. */
  reportMessage?: string | undefined;
}

export const siteContext = createContext<Site>();
