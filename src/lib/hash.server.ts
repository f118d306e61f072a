import { hash } from "node:crypto";

/** A SHA-256 digest of the content, cut to 22 characters of base64url (132 bits). */
export function digestOf(content: string | Uint8Array): string {
  return hash("sha256", content, "base64url").slice(0, 22);
}

/** The SHA-256 hash of the content. */
export function sha256(content: string | Uint8Array): Buffer {
  return hash("sha256", content, "buffer");
}
