import { createContext } from "react-router";
import type { Provider } from "../auth/session.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import type { Operator } from "../domain/operator.ts";
import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";

/** The dependencies of page loaders: `context.get(siteContext)`. */
export interface Site {
  catalogue: Catalogue;
  /** Null for a demo. */
  operator: Operator | null;
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
}

export const siteContext = createContext<Site>();
