import { hash } from "node:crypto";

/** A page as it is sent, and the Content-Security-Policy that belongs to exactly this text. */
export interface ProtectedPage {
  html: string;
  policy: string;
}

interface Protection {
  /** What the page was rendered with. */
  nonce: string;
  /** The texts of more scripts, which will stand in the page as well. */
  scripts: readonly string[];
  /** Where the page is asked for. */
  address: string;
}

/**
 * Lets a page run the scripts in it that were rendered with the nonce, and files of this site; no others. The nonce, which
 * nobody could guess who had a text put into the page, is taken out and the scripts are named by their hashes: so the page
 * can be kept and sent to everybody, and a script that got in by a text is not among those that run.
 */
export function protectPage(rendered: string, { nonce, scripts, address }: Protection): ProtectedPage {
  const pieces = rendered.split(` nonce="${nonce}"`);
  const inside = pieces.slice(1).flatMap((piece, index) => scriptBetween(pieces[index] ?? "", piece));
  const hashes = new Set([...inside, ...scripts].map(hashOf));
  return { html: pieces.join(""), policy: policyFor([...hashes], address.startsWith("https:")) };
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
