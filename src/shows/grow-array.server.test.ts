import { expect, test } from "vitest";
import { growArray } from "./grow-array.server.ts";

test("an array has the members that were added, in their order, however many they are", async () => {
  for (const size of [0, 1, 4_095, 4_096, 4_097, 20_000]) {
    const members = Array.from({ length: size }, (_, number) => `member ${number}`);
    const growing = growArray<string>();
    for (const [number, member] of members.entries()) {
      expect(growing.length).toBe(number);
      growing.add(member);
    }
    expect(growing.length).toBe(size);
    expect(await growing.pack()).toEqual(members);
  }
});
