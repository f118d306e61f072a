import fc from "fast-check";
import { expect, test } from "vitest";
import { MIN_ID_START } from "./offline-search.ts";
import { uniqueStarts } from "./pack-shows.server.ts";

test("an id is named by its shortest beginning that no other id has, else whole (docs/product.md §9.14)", () => {
  const alike = fc.string({ unit: fc.constantFrom("a", "b"), minLength: MIN_ID_START - 1, maxLength: 14 });
  const property = fc.property(fc.uniqueArray(alike), (ids) => {
    const starts = uniqueStarts(ids);
    for (const id of ids) {
      const beginnings = [...id].keys().map((index) => id.slice(0, index + 1));
      const unique = (start: string) => ids.every((other) => other === id || !other.startsWith(start));
      const shortest = beginnings.find((start) => start.length >= MIN_ID_START && unique(start));
      expect(starts.get(id)).toBe(shortest ?? id);
    }
  });
  fc.assert(property);
});
