import { createContext, useContext } from "react";

/** Set while the server renders a page. */
export const ScriptNonce = createContext<string | undefined>(undefined);

/**
 * Runs before any other script is loaded. The text must be a constant. In the browser, where it has run
 * already, it may be empty to save bytes (`import.meta.env.SSR`).
 */
export function InlineScript({ text }: { text: string }) {
  const html = { __html: text };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, and the only way to write an unescaped script
  return <script nonce={useContext(ScriptNonce)} suppressHydrationWarning dangerouslySetInnerHTML={html} />;
}
