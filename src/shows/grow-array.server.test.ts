import { expect, test } from "vitest";
import { type GrowingArray, growArray, growNumbers } from "./grow-array.server.ts";

const sizes = [0, 1, 4_095, 4_096, 4_097, 20_000];

/** What becomes of members that are added one after the other. */
async function grow<T>(growing: GrowingArray<T, ArrayLike<T>>, members: readonly T[]): Promise<T[]> {
  for (const [number, member] of members.entries()) {
    expect(growing.length).toBe(number);
    growing.add(member);
  }
  expect(growing.length).toBe(members.length);
  return Array.from(await growing.pack());
}

test.each(sizes)("an array has the %i members that were added, in their order", async (size) => {
  const members = Array.from({ length: size }, (_, number) => `member ${number}`);
  expect(await grow(growArray<string>(), members)).toEqual(members);
});

test.each(sizes)(
  "an array has the %i numbers that were added, in their order, as large as they may be",
  async (size) => {
    const members = Array.from({ length: size }, (_, number) => Number.MAX_SAFE_INTEGER - 3 * number);
    expect(await grow(growNumbers(), members)).toEqual(members);
  },
);
