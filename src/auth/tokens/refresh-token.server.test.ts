import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeRefreshToken, encodeRefreshToken } from "./refresh-token.server.ts";

const counter = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n";

test("encoding is deterministic, decoding is its inverse, and only the whole token verifies with its key", () => {
  const change = fc.tuple(fc.nat(53), fc.constantFrom(...characters));
  fc.assert(
    fc.property(
      fc.uuid(),
      counter,
      key,
      key,
      change,
      (id, count, ownKey, otherKey, [position, character]) => {
        fc.pre(!ownKey.equals(otherKey));
        const text = encodeRefreshToken(id, count, ownKey);
        expect(text).toBe(encodeRefreshToken(id, count, ownKey));
        expect(text).toMatch(/^[A-Za-z0-9_-]{54}$/);
        const token = decodeRefreshToken(text);
        expect(token).toMatchObject({ sessionId: id, counter: count });
        expect(token?.verifyMac(ownKey)).toBe(true);
        expect(token?.verifyMac(otherKey)).toBe(false);
        fc.pre(text[position] !== character);
        const changed = text.slice(0, position) + character + text.slice(position + 1);
        expect(decodeRefreshToken(changed)?.verifyMac(ownKey) ?? false).toBe(false);
      },
    ),
  );
});
