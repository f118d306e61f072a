import fc from "fast-check";
import { expect, test } from "vitest";
import { recogniseLast } from "./recognise-last.server.ts";

const texts = fc.uniqueArray(fc.string({ unit: "binary", minLength: 1 }), { minLength: 1, maxLength: 30 });

test("a text that has just come is recognised, however often it comes, and one that has not come is not", () => {
  fc.assert(
    fc.property(texts, (some) => {
      const isAgain = recogniseLast();
      for (const text of some) {
        expect(isAgain(text)).toBe(false);
        expect(isAgain(text)).toBe(true);
        expect(isAgain(text)).toBe(true);
      }
    }),
  );
});

test("most of the last few hundred are still recognised, and of what came thousands ago hardly anything", () => {
  const isAgain = recogniseLast();
  const addresses = Array.from({ length: 20_000 }, (_, number) => `/api/shows?search=${number}`);
  for (const address of addresses) isAgain(address);
  expect(addresses.slice(-300).filter(isAgain).length).toBeGreaterThan(200);
  expect(addresses.slice(0, 300).filter(isAgain).length).toBeLessThan(10);
});
