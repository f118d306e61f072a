import fc from "fast-check";
import { expect, test } from "vitest";
import { createIdStarts } from "./id-starts.ts";

test("an id is named by its shortest beginning that no other id has, else whole (docs/product.md §9.14)", () => {
  const min = 6;
  const alike = fc.string({ unit: fc.constantFrom("a", "b"), minLength: min - 1, maxLength: 14 });
  const property = fc.property(fc.uniqueArray(alike), (ids) => {
    const { startOf, idAt } = createIdStarts(ids);
    for (const id of ids) {
      const beginnings = [...id].keys().map((index) => id.slice(0, index + 1));
      const unique = (start: string) => ids.every((other) => other === id || !other.startsWith(start));
      const shortest = beginnings.find((start) => start.length >= min && unique(start));
      expect(startOf(id, min)).toBe(shortest ?? id);
      expect(idAt(startOf(id, min).toUpperCase())).toBe(unique(startOf(id, min)) ? id : undefined);
    }
  });
  fc.assert(property);
});
