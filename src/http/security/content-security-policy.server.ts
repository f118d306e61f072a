import { hash } from "node:crypto";

/** Allows files of this origin, and the inline scripts of these texts. */
export function contentSecurityPolicy(inlineScripts: readonly string[], isSecure: boolean): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts.map(hashOf)].join(" "),
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
    ...(isSecure ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}

function hashOf(script: string): string {
  return `'sha256-${hash("sha256", script, "base64")}'`;
}
