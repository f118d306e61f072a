import { createHash } from "node:crypto";

/** A page as it is sent, and the Content-Security-Policy that belongs to exactly this text. */
export interface ProtectedPage {
  html: string;
  policy: string;
}

/**
 * Lets a page run the scripts in it that were rendered with the nonce, and files of this site; no others. The nonce, which
 * nobody could guess who had a text put into the page, is taken out and the scripts are named by their hashes: so the page
 * can be kept and sent to everybody, and a script that got in by a text is not among those that run.
 */
export function protectPage(rendered: string, nonce: string, address: string): ProtectedPage {
  const marked = new RegExp(`<script[^>]*? nonce="${nonce}"[^>]*>(.*?)</script>`, "gs");
  const hashes = new Set(Array.from(rendered.matchAll(marked), ([, script = ""]) => hashOf(script)));
  return {
    html: rendered.replaceAll(` nonce="${nonce}"`, ""),
    policy: policyFor([...hashes], address.startsWith("https:")),
  };
}

function policyFor(scriptHashes: string[], secure: boolean): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes].join(" "),
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
    ...(secure ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}

function hashOf(script: string): string {
  return `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
}
