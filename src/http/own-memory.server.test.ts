import fc from "fast-check";
import { expect, test } from "vitest";
import { inOwnMemory } from "./own-memory.server.ts";

test("whatever the pieces, what becomes of them is the same bytes in memory that nothing else is in", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (pieces) => {
      const bytes = inOwnMemory(...pieces);
      expect([...bytes]).toEqual(pieces.flatMap((piece) => [...piece]));
      expect(bytes.buffer.byteLength).toBe(bytes.length);
    }),
  );
});
