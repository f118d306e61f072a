import { hash } from "node:crypto";

/** A page as it is sent, and the Content-Security-Policy that belongs to exactly this text. */
export interface ProtectedPage {
  html: string;
  policy: string;
}

/**
 * Allows the scripts in a page that were rendered with the nonce, and files of this site; no others. The nonce, which
 * nobody can guess who gets a text into the page, is replaced by the scripts' hashes: so the page can be cached and sent
 * to everybody, and an injected script is not among those that run.
 * @param url where the page is requested
 */
export function protectPage(rendered: string, nonce: string, url: string): ProtectedPage {
  const pieces = rendered.split(` nonce="${nonce}"`);
  const scripts = pieces.slice(1).flatMap((piece, index) => scriptBetween(pieces[index] ?? "", piece));
  const hashes = new Set(scripts.map(hashOf));
  return { html: pieces.join(""), policy: policyFor([...hashes], url.startsWith("https:")) };
}

/** The text of the script in whose tag the nonce stood; none where it was another tag. */
function scriptBetween(before: string, after: string): string[] {
  if (!before.startsWith("<script", before.lastIndexOf("<"))) return [];
  return [after.slice(after.indexOf(">") + 1, after.indexOf("</script>"))];
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
  return `'sha256-${hash("sha256", script, "base64")}'`;
}
