import { hash } from "node:crypto";

/** A SHA-256 digest, cut to 132 bits. */
export function digestOf(content: string | Uint8Array): string {
  return hash("sha256", content, "base64url").slice(0, 22);
}

export function sha256(content: string | Uint8Array): Buffer {
  return hash("sha256", content, "buffer");
}
