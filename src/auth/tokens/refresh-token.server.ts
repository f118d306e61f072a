import { createHmac, timingSafeEqual } from "node:crypto";
import { sha256 } from "../../lib/hash.server.ts";

/*
 * Refresh tokens are not stored. If a response was lost, its token is encoded again. In base64url:
 * version 0x00 | session id, 16 bytes | counter, 8 bytes | 16 bytes of HMAC-SHA-256 under the session's key
 * | 4 bytes of SHA-256: a checksum, which detects a damaged token without a query
 */
const VERSION = 0;
const COUNTER_OFFSET = 17;
const MAC_OFFSET = 25;
const CHECKSUM_OFFSET = 41;
const LENGTH = 45;

/** Not authenticated until `verifyMac` has returned true. */
export interface RefreshToken {
  sessionId: string;
  counter: bigint;
  verifyMac(key: Buffer): boolean;
}

export function encodeRefreshToken(sessionId: string, counter: bigint, key: Buffer): string {
  const token = Buffer.alloc(LENGTH);
  token.writeUInt8(VERSION, 0);
  token.write(sessionId.replaceAll("-", ""), 1, "hex");
  token.writeBigUInt64BE(counter, COUNTER_OFFSET);
  mac(token, key).copy(token, MAC_OFFSET);
  checksum(token).copy(token, CHECKSUM_OFFSET);
  return token.toString("base64url");
}

export function decodeRefreshToken(text: string): RefreshToken | null {
  const token = Buffer.from(text, "base64url");
  if (token.length !== LENGTH || token.toString("base64url") !== text) return null;
  if (token.readUInt8(0) !== VERSION || !checksum(token).equals(token.subarray(CHECKSUM_OFFSET))) return null;
  return {
    sessionId: uuid(token.subarray(1, COUNTER_OFFSET)),
    counter: token.readBigUInt64BE(COUNTER_OFFSET),
    verifyMac: (key) => timingSafeEqual(mac(token, key), token.subarray(MAC_OFFSET, CHECKSUM_OFFSET)),
  };
}

function mac(token: Buffer, key: Buffer): Buffer {
  return createHmac("sha256", key)
    .update(token.subarray(0, MAC_OFFSET))
    .digest()
    .subarray(0, CHECKSUM_OFFSET - MAC_OFFSET);
}

function checksum(token: Buffer): Buffer {
  return sha256(token.subarray(0, CHECKSUM_OFFSET)).subarray(0, LENGTH - CHECKSUM_OFFSET);
}

function uuid(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
