import { createContext } from "react-router";
import type { Catalogue } from "./shows/catalogue.server.ts";

/** What page loaders may use: `context.get(siteContext)`. */
export interface Site {
  catalogue: Catalogue;
  publicClientKey: string;
}

export const siteContext = createContext<Site>();
