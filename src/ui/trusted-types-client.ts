declare global {
  interface Window {
    /** Not in every browser yet: https://www.w3.org/TR/trusted-types/ */
    trustedTypes?: { createPolicy(name: "default", policy: { createHTML: (html: string) => string }): unknown };
  }
}

/** What React parses to make a script element that never runs: it needs one where it draws the document anew. */
const emptyScript = "<script></script>";

/** Lets no text become markup by way of `innerHTML` and its like: the browser asks here, where the page's policy demands it. */
export function keepTextText(): void {
  window.trustedTypes?.createPolicy("default", {
    createHTML: (html) => (html === emptyScript ? html : html.replaceAll("<", "&lt;")),
  });
}
