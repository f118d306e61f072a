import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/*
 * A refresh token is not stored. It says which session it belongs to and how many refreshes came before it, sealed with the
 * session's own key, so that the same one can be written again when its answer was lost:
 *
 *     version 0x00 | session id, 16 bytes | counter, 8 bytes | HMAC-SHA-256, first 16 bytes | SHA-256, first 4 bytes
 *
 * in base64url. The last part tells a damaged token apart without asking the database.
 */
const VERSION = 0;
const COUNTER_AT = 17;
const SEAL_AT = 25;
const CHECKSUM_AT = 41;
const LENGTH = 45;

/** What a token says; whether it is genuine only the session's key can tell. */
export interface RefreshToken {
  sessionId: string;
  counter: bigint;
  verifyMac(key: Buffer): boolean;
}

/** The one token that a session has for this counter. */
export function encodeRefreshToken(sessionId: string, counter: bigint, key: Buffer): string {
  const token = Buffer.alloc(LENGTH);
  token.writeUInt8(VERSION, 0);
  token.write(sessionId.replaceAll("-", ""), 1, "hex");
  token.writeBigUInt64BE(counter, COUNTER_AT);
  seal(token, key).copy(token, SEAL_AT);
  checksum(token).copy(token, CHECKSUM_AT);
  return token.toString("base64url");
}

/** What a token says, or null when it is none that was ever written. */
export function decodeRefreshToken(text: string): RefreshToken | null {
  const token = Buffer.from(text, "base64url");
  if (token.length !== LENGTH || token.toString("base64url") !== text) return null;
  if (token.readUInt8(0) !== VERSION || !checksum(token).equals(token.subarray(CHECKSUM_AT))) return null;
  return {
    sessionId: uuid(token.subarray(1, COUNTER_AT)),
    counter: token.readBigUInt64BE(COUNTER_AT),
    verifyMac: (key) => timingSafeEqual(seal(token, key), token.subarray(SEAL_AT, CHECKSUM_AT)),
  };
}

function seal(token: Buffer, key: Buffer): Buffer {
  return createHmac("sha256", key)
    .update(token.subarray(0, SEAL_AT))
    .digest()
    .subarray(0, CHECKSUM_AT - SEAL_AT);
}

function checksum(token: Buffer): Buffer {
  return createHash("sha256")
    .update(token.subarray(0, CHECKSUM_AT))
    .digest()
    .subarray(0, LENGTH - CHECKSUM_AT);
}

function uuid(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
