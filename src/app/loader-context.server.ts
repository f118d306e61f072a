import { createContext } from "react-router";
import type { Provider } from "../auth/session.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";

/** The dependencies of page loaders: `context.get(siteContext)`. */
export interface Site {
  catalogue: Catalogue;
  publicClientKey: string;
  /** The sign-in providers that the operator has set up. */
  providers: readonly Provider[];
}

export const siteContext = createContext<Site>();
