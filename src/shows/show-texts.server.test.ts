import fc from "fast-check";
import { expect, test } from "vitest";
import { createShowTexts } from "./show-texts.server.ts";

test("each text is read at its address as it was added, however long, and keeps it as long as little is let go of", async () => {
  const lengths = fc.oneof(fc.nat(50), fc.constantFrom(100_000, 2 ** 19 - 2, 2 ** 19, 600_000));
  const texts = fc.array(fc.tuple(fc.string({ unit: "grapheme", maxLength: 5 }), lengths), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(texts, async (made) => {
      const kept = createShowTexts();
      const all = made.map(([start, length]) => start + "é".repeat(length));
      const addresses = all.map((text) => kept.add(Buffer.from(text)));
      expect(new Set(addresses).size).toBe(all.length);
      expect(addresses.map(kept.renew)).toEqual(addresses);
      const changed = all.map((text) => kept.add(Buffer.from(`${text}!`)));
      expect(new Set([...addresses, ...changed]).size).toBe(2 * all.length);
      await kept.keepOnly(changed);
      expect(changed.map((address) => kept.read(address).toString())).toEqual(all.map((text) => `${text}!`));
    }),
    { numRuns: 15, examples: [[[["", 500_000], ["", 100_000], ["", 100_000], ["", 900_000]]]] }, // biome-ignore format: one line
  );
});

test("memory of which little is needed is let go of: what is in it is written anew", async () => {
  const kept = createShowTexts();
  const write = (round: number, known: readonly number[]) =>
    Array.from({ length: 2_000 }, (_, show) => {
      const changedIn = show % 10 === 0 ? 0 : round - ((round + show) % 10);
      const before = known[show];
      return before !== undefined && changedIn !== round
        ? kept.renew(before)
        : kept.add(Buffer.from(`${show} ${changedIn} ${"x".repeat(8_000)}`));
    });
  const first = write(10, []);
  let addresses = first;
  for (let round = 11; round < 36; round++) {
    addresses = write(round, addresses);
    await kept.keepOnly(addresses);
  }
  expect(addresses.map((address) => Number.parseInt(kept.read(address).toString(), 10))).toEqual([...addresses.keys()]);
  expect(() => kept.read(first[0] ?? 0)).toThrow(RangeError);
});
