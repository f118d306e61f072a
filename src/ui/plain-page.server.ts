import { hash } from "node:crypto";

/** The site's colours and type. Such a page loads nothing. */
const style = `
:root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 0 auto; padding: 8vh 1rem; background: #faf6ee; color: #231d18; overflow-wrap: break-word }
h1 { margin: 0; font: 400 2.75rem/1.1 "Iowan Old Style", Palatino, serif }
h1 span { color: #5b2a86; font-style: italic }
h2 { margin: 2rem 0 0; font-size: 1.25rem }
h3 { margin: 0; font-size: 1.125rem }
article { margin-top: 2rem; border-top: 1px solid #8b7f70; padding-top: 1rem }
article h3 a { display: inline-block; padding: .5rem 0; max-width: 100% }
a { color: inherit }
blockquote { margin: .5rem 0 1rem; padding-left: 1rem; border-left: 3px solid #8b7f70; white-space: pre-wrap; overflow-wrap: anywhere; overflow: hidden; overflow: clip }
.quotation { display: flex; flex-direction: column }
.quotation details { order: 1; margin: -.5rem 0 1rem }
.quotation details:not([open]) + blockquote { max-height: 13.5rem }
summary { width: fit-content; padding: .5rem 0; cursor: pointer }
.button, button { display: inline-block; padding: .625rem 1.25rem; border: 1px solid #8b7f70; border-radius: 2px; background: none; color: inherit; font: inherit; font-weight: 600; text-decoration: none }
button { min-width: 6rem; margin: 0 .75rem .75rem 0; cursor: pointer }
a:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid #5b2a86; outline-offset: 3px }
footer { display: flex; gap: 1.5rem; margin-top: 3rem; font-size: .875rem }
footer a { padding: .75rem 0 }
@media (prefers-color-scheme: dark) {
body { background: #171310; color: #f1eadf }
h1 span { color: #cbabf2 }
a:focus-visible, button:focus-visible, summary:focus-visible { outline-color: #cbabf2 }
}
`;

const styleHash = hash("sha256", style, "base64");

interface PlainPage {
  title: string;
  /** As HTML. */
  body: string;
  /** A form may only be sent to this site. */
  hasForm?: boolean;
  /** Must be a constant. */
  script?: string;
}

export function plainPage({ title, body, hasForm = false, script }: PlainPage) {
  const headers: Record<string, string> = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      ...(script ? [`script-src 'sha256-${hash("sha256", script, "base64")}'`] : []),
      "base-uri 'none'",
      `form-action ${hasForm ? "'self'" : "'none'"}`,
      "frame-ancestors 'none'",
    ].join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
  const html = `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${script ? `<script>${script}</script>\n` : ""}<title>${title} - Front Row</title>
<style>${style}</style>
<header><h1>Front Row<span>?</span></h1></header>
<main>
${body}
</main>
<footer><a href="/terms">Terms</a> <a href="/privacy">Privacy</a></footer>
</html>
`;
  return { html, headers };
}
