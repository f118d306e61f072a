import { createContext, useContext } from "react";

/** The URLs of the modules that a page's own modules import. Filled in while the server renders the page. */
export const ImportedModules = createContext<readonly string[]>([]);

/**
 * Preloads what a page's modules import, 98 KB of libraries, with low priority. With the high priority of
 * React Router's own links they would compete with the stylesheet on a slow connection, and the first paint
 * needs no script.
 */
export function ScriptPreloads() {
  return useContext(ImportedModules).map((href) => (
    <link key={href} rel="modulepreload" href={href} fetchPriority="low" />
  ));
}
