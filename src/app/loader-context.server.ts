import { createContext } from "react-router";
import type { Provider } from "../auth/session.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";

/** What page loaders may use: `context.get(siteContext)`. */
export interface Site {
  catalogue: Catalogue;
  publicClientKey: string;
  /** Where this site has set up signing in. */
  providers: readonly Provider[];
}

export const siteContext = createContext<Site>();
