import { createContext, useContext } from "react";

/** The addresses of the modules that a page's own modules import, while the server renders it. */
export const ImportedModules = createContext<readonly string[]>([]);

/**
 * Preloads what a page's modules import, with low priority: with the high one of React Router's tags they would compete
 * with the stylesheet for a slow line, and the first paint needs no script.
 */
export function ScriptPreloads() {
  return useContext(ImportedModules).map((href) => (
    <link key={href} rel="modulepreload" href={href} fetchPriority="low" />
  ));
}
