/** The text must be a constant. In the browser, where it has run already, it may be empty. */
export function InlineScript({ text }: { text: string }) {
  const html = { __html: text };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, and the only way to write an unescaped script
  return <script suppressHydrationWarning dangerouslySetInnerHTML={html} />;
}
