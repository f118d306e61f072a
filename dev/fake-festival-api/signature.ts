import { createHmac, timingSafeEqual } from "node:crypto";

export interface Credentials {
  key: string;
  secret: string;
}

/** Lower-case hexadecimal HMAC-SHA1 of the URL-encoded path and query. */
export function sign(pathAndQuery: string, secret: string): string {
  return createHmac("sha1", secret).update(pathAndQuery).digest("hex");
}

/** Checks the key, and the signature at the end. Decodes nothing: `%20` and `+` are different requests. */
export function isSigned(rawTarget: string, { key, secret }: Credentials): boolean {
  const [message = "", signature = ""] = rawTarget.split(/&signature=(.*)/s);
  const keys = new URLSearchParams(message.split(/\?(.*)/s)[1]).getAll("key");
  return sameText(keys.join("\n"), key) && sameText(signature, sign(message, secret));
}

/** Compares in constant time. */
function sameText(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
