import fc from "fast-check";
import { expect, test } from "vitest";
import { growLists } from "./grow-lists.server.ts";
import { type NumberLists, openLists } from "./number-lists.server.ts";

/** Lists of the numbers below `count`, each under its keys. */
async function listsOf(count: number, keysOf: (number: number) => readonly number[]): Promise<NumberLists> {
  const growing = growLists();
  for (let number = 0; number < count; number++) for (const key of keysOf(number)) growing.add(key, number);
  return openLists(await growing.pack(), count);
}

/** Which keys each number stands under: near and far apart, some of them told twice. */
const told = fc.array(fc.array(fc.oneof(fc.nat(5), fc.nat(2 ** 30 - 2)), { maxLength: 5 }), {
  maxLength: 60,
  size: "max",
});

test("a list has the numbers that stand under its key, and several lists together have each of theirs once", async () => {
  await fc.assert(
    fc.asyncProperty(told, fc.nat(2 ** 30 - 2), fc.nat(2 ** 30 - 2), async (keysOf, one, other) => {
      const lists = await listsOf(keysOf.length, (number) => keysOf[number] ?? []);
      const room = new Uint32Array(keysOf.length);
      const under = (isAsked: (key: number) => boolean) =>
        keysOf.flatMap((keys, number) => (keys.some(isAsked) ? [number] : []));
      for (const key of new Set([...keysOf.flat(), one])) {
        expect([...lists.read(key, key + 1, room)]).toEqual(under((asked) => asked === key));
        expect(lists.size(key)).toBe(under((asked) => asked === key).length);
      }
      const [first, end] = [Math.min(one, other), Math.max(one, other)];
      expect([...lists.read(first, end, room)]).toEqual(under((key) => key >= first && key < end));
      expect([...lists.read(0, 2 ** 30 - 1, room)]).toEqual(under(() => true));
    }),
    { numRuns: 50 },
  );
});

test("numbers that are far apart stay what they are", async () => {
  const far = new Set([0, 127, 128, 20_000, 20_001, 299_999]);
  const lists = await listsOf(300_000, (number) => (far.has(number) ? [7] : []));
  expect([...lists.read(7, 8, new Uint32Array(300_000))]).toEqual([...far]);
});
