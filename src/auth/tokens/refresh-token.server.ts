import { createHmac, timingSafeEqual } from "node:crypto";

/*
 * Refresh tokens are not stored. If a response was lost, its token is encoded again. In base64url:
 * session id, 16 bytes | counter, 8 bytes | 16 bytes of HMAC-SHA-256 under the session's key
 */
const COUNTER_OFFSET = 16;
const MAC_OFFSET = 24;
const LENGTH = 40;

/** Not authenticated until `verifyMac` has returned true. */
export interface RefreshToken {
  sessionId: string;
  counter: bigint;
  verifyMac(key: Buffer): boolean;
}

export function encodeRefreshToken(sessionId: string, counter: bigint, key: Buffer): string {
  const token = Buffer.alloc(LENGTH);
  token.write(sessionId.replaceAll("-", ""), "hex");
  token.writeBigUInt64BE(counter, COUNTER_OFFSET);
  mac(token, key).copy(token, MAC_OFFSET);
  return token.toString("base64url");
}

export function decodeRefreshToken(text: string): RefreshToken | null {
  const token = Buffer.from(text, "base64url");
  if (token.length !== LENGTH || token.toString("base64url") !== text) return null;
  return {
    sessionId: uuid(token.subarray(0, COUNTER_OFFSET)),
    counter: token.readBigUInt64BE(COUNTER_OFFSET),
    verifyMac: (key) => timingSafeEqual(mac(token, key), token.subarray(MAC_OFFSET)),
  };
}

function mac(token: Buffer, key: Buffer): Buffer {
  const hmac = createHmac("sha256", key).update(token.subarray(0, MAC_OFFSET));
  return hmac.digest().subarray(0, LENGTH - MAC_OFFSET);
}

function uuid(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
