import { hash } from "node:crypto";

/** Replaces the nonce by the hashes of its scripts, so that the page can be cached. */
export function protectPage(rendered: string, nonce: string, url: string) {
  const pieces = rendered.split(` nonce="${nonce}"`);
  const scripts = pieces.slice(1).flatMap((piece, index) => scriptBetween(pieces[index] ?? "", piece));
  const hashes = new Set(scripts.map(hashOf));
  return { html: pieces.join(""), policy: policyFor([...hashes], url.startsWith("https:")) };
}

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
    "worker-src 'self'",
    "manifest-src 'self'",
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
