import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeRefreshToken, encodeRefreshToken } from "./refresh-token.server.ts";

const counter = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const session = { id: "6f1c2f60-52a1-4c6e-9b0e-0a4a5f3f7b11", key: randomBytes(32) };

test("encoding is deterministic, decoding is its inverse, and only the session's key verifies the MAC", () => {
  fc.assert(
    fc.property(fc.uuid(), counter, key, key, (id, count, ownKey, otherKey) => {
      fc.pre(!ownKey.equals(otherKey));
      const text = encodeRefreshToken(id, count, ownKey);
      expect(text).toBe(encodeRefreshToken(id, count, ownKey));
      expect(text).toMatch(/^[A-Za-z0-9_-]{60}$/);
      const token = decodeRefreshToken(text);
      expect(token).toMatchObject({ sessionId: id, counter: count });
      expect(token?.verifyMac(ownKey)).toBe(true);
      expect(token?.verifyMac(otherKey)).toBe(false);
    }),
  );
});

test("a token with any character changed is not decoded", () => {
  const text = encodeRefreshToken(session.id, 7n, session.key);
  const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n";
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom(...characters), (position, character) => {
      fc.pre(text[position] !== character);
      expect(decodeRefreshToken(text.slice(0, position) + character + text.slice(position + 1))).toBeNull();
    }),
  );
});
