import { createContext, useContext } from "react";
import { type ApiRequest, createApiRequest } from "../browser/requests/api-request-client.ts";
import type { Provider } from "../domain/account.ts";
import type { FoundList } from "../shows/load-list.ts";

/** What every page knows of the site. It is the same for all visitors. */
export interface Site {
  origin: string;
  clientKey: string;
  providers: readonly Provider[];
  /** Null for a demo. */
  operatorEmail: string | null;
  /** Whether browsers save the list for use offline. */
  offline: boolean;
  /** Names the files that browsers load. */
  build: string;
}

/** What the server rendered a page with, as JSON in the page: hydration needs the same. */
export interface PageData {
  site: Site;
  /** React Router's: by the id of the route. */
  loaderData: { list?: FoundList };
}

export const PAGE_DATA = "page-data";

export const SiteContext = createContext<Site | null>(null);

export function useSite(): Site {
  const site = useContext(SiteContext);
  if (!site) throw new Error("No SiteContext");
  return site;
}

export function requestsOf({ clientKey }: Site): ApiRequest {
  return createApiRequest(
    (...args) => window.fetch(...args),
    () => clientKey,
  );
}

export function Canonical({ path }: { path: string }) {
  return <link rel="canonical" href={useSite().origin + path} />;
}
