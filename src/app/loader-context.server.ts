import { createContext } from "react-router";
import type { Provider } from "../auth/session.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import type { ShowNotes } from "../domain/notes-dto.ts";
import type { Operator } from "../domain/operator.ts";
import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";

/** The dependencies of page loaders: `context.get(siteContext)`. */
export interface Site {
  catalogue: Catalogue;
  /** Null for a demo. */
  operator: Operator | null;
  /** Scheme, host and port that visitors use. */
  origin: string;
  publicClientKey: string;
  /** The sign-in providers that the operator has set up. */
  providers: readonly Provider[];
  /** The list that the route handler has found already. Data requests come without it. */
  found?: FoundList | undefined;
}

/** One page of the list, and the query that it answers. */
export interface FoundList {
  query: ShowQuery;
  list: ShowPage;
  /** The newest notes of the show that has the page for itself, by its id, unless they cannot be read. */
  notes?: Readonly<Record<string, ShowNotes>> | undefined;
  /** What to say of a report that was sent from the page of a show without scripts. */
  reportMessage?: string | undefined;
}

export const siteContext = createContext<Site>();
