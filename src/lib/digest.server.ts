import { hash } from "node:crypto";

/** Names a text, or bytes: the same ones always by the same name, others by another. 22 characters. */
export function digestOf(content: string | Uint8Array): string {
  return hash("sha256", content, "base64url").slice(0, 22);
}

/** A prime near 2³² / φ, and one that is usual: texts that are much alike come to lie far apart. */
const START = 2_654_435_761;
const FACTOR = 16_777_619;

/** A whole number of 32 bits for a text, to find it by: another text may have the same. With its sign, or V8 may make an object of it. */
export function hashOf(text: string): number {
  let hash = START;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FACTOR);
  return hash ^ (hash >>> 15);
}
