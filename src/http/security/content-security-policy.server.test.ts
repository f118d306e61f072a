import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { protectPage } from "./content-security-policy.server.ts";

const nonce = "0123456789abcdef0123456789abcdef";
const hashOf = (script: string) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
const allowed = (policy: string) =>
  policy
    .match(/script-src 'self'([^;]*)/)?.[1]
    ?.trim()
    .split(" ")
    .filter(Boolean);

/** Pieces of markup from which an attacker might build a script. */
const pieces = [
  "<script>", "</script>", "<script ", "<script nonce=", 'nonce="', "nonce=''", '"', "'", ">", "<", "<!--", "-->", "hit()",
  "<script src=//evil.example/>", " ", "/", "=", "<svg onload=hit()>", "\n",
]; // biome-ignore format: a table of pieces

test("no injected markup gets a script allowed", () => {
  const markup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(markup, markup, (before, after) => {
      const rendered = `<p>${before}</p><script nonce="${nonce}">own()</script><p>${after}</p>`;
      expect(allowed(protectPage(rendered, nonce, "http://site.example/").policy)).toEqual([hashOf("own()")]);
    }),
  );
});
