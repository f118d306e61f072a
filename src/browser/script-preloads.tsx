import { createContext, useContext } from "react";

/** The URLs of what a page's own modules import. Set while the server renders a page. */
export const ImportedModules = createContext<readonly string[]>([]);

/**
 * With the high priority of React Router's own links, 98 KB of libraries would compete with the stylesheet
 * on a slow connection. The first paint needs no script.
 */
export function ScriptPreloads() {
  return useContext(ImportedModules).map((href) => (
    <link key={href} rel="modulepreload" href={href} fetchPriority="low" />
  ));
}
