declare global {
  interface Window {
    /** Undefined in browsers without Trusted Types (https://www.w3.org/TR/trusted-types/). */
    trustedTypes?: {
      createPolicy(name: "default", policy: { createHTML: (html: string) => string }): unknown;
    };
  }
}

/** The only markup that React itself assigns. It creates inert script elements with it in the browser. */
const emptyScript = "<script></script>";

/** Escapes texts assigned to `innerHTML` and similar sinks. */
export function createTrustedTypesPolicy(): void {
  window.trustedTypes?.createPolicy("default", {
    createHTML: (html) => (html === emptyScript ? html : html.replaceAll("<", "&lt;")),
  });
}
