import { createContext, useContext } from "react";

/** Marks the scripts that are meant to be in a page, while the server renders it. */
export const ScriptNonce = createContext<string | undefined>(undefined);

/** A script that stands in the page itself and runs before anything is loaded. It must be a constant. */
export function InlineScript({ text }: { text: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, and the only way to write a script as it is
  return <script nonce={useContext(ScriptNonce)} dangerouslySetInnerHTML={{ __html: text }} />;
}
