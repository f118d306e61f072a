import { hash } from "node:crypto";

/** Names a text, or bytes: the same ones always by the same name, others by another. 22 characters. */
export function digestOf(content: string | Uint8Array): string {
  return hash("sha256", content, "base64url").slice(0, 22);
}
