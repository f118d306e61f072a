import { createContext, useContext } from "react";

/** The nonce that marks trusted inline scripts while the server renders a page. */
export const ScriptNonce = createContext<string | undefined>(undefined);

/**
 * An inline script, which runs before any other is loaded. The text must be a constant. It may be empty in
 * the browser (`import.meta.env.SSR`), where it has run already, so that it costs no bytes there.
 */
export function InlineScript({ text }: { text: string }) {
  const html = { __html: text };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, and the only way to write an unescaped script
  return <script nonce={useContext(ScriptNonce)} suppressHydrationWarning dangerouslySetInnerHTML={html} />;
}
