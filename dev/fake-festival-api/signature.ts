import { createHmac, timingSafeEqual } from "node:crypto";

export interface Credentials {
  key: string;
  secret: string;
}

/**
 * The signature that the API requires: lower-case hexadecimal HMAC-SHA1 of the URL-encoded path and query.
 */
export function sign(pathAndQuery: string, secret: string): string {
  return createHmac("sha1", secret).update(pathAndQuery).digest("hex");
}

/**
 * Whether a request's path and query, exactly as received, have the right key and end with the signature of
 * everything before it. Nothing is decoded or re-encoded: `%20` and `+` are different requests.
 */
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
