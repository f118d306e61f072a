import { Hono } from "hono";

const YEAR_MS = 365 * 86_400_000;

/** Where to report a vulnerability of this site (RFC 9116; docs/product.md §12.7). */
export function securityTxt(email: string, origin: string): Hono {
  const address = "/.well-known/security.txt";
  return new Hono().get(address, (c) => {
    const fields = {
      Contact: `mailto:${email}`,
      Expires: new Date(Date.now() + YEAR_MS).toISOString(),
      "Preferred-Languages": "en",
      Canonical: origin + address,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    return c.text(lines.join(""), 200, { "Cache-Control": "public, max-age=3600" });
  });
}
