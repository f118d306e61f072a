import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { createLine } from "./overload-line.server.ts";

let time: number;
let begun: number[];
let givenUp: number[];
let line: ReturnType<typeof createLine>;

beforeEach(() => {
  time = 0;
  begun = [];
  givenUp = [];
  line = createLine({ longestWait: 150, handful: 3, now: () => time });
});

/** @param takes how long it takes once it has begun, in ms */
function join(number: number, takes = 0): void {
  const begin = () => {
    begun.push(number);
    time += takes;
  };
  line.join({ begin, giveUp: () => givenUp.push(number) });
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

test("what comes while there is little to do begins at once", () => {
  for (const number of upTo(5)) join(number);
  expect(begun).toEqual(upTo(5));
});

test("in a turn that lasts long the rest stands in line, and begins in the next one as far as that stays short", async () => {
  join(0, 20);
  for (const number of [1, 2, 3, 4, 5]) join(number, 0.4);
  expect(begun).toEqual([0]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3]);
  join(6);
  await nextTurn();
  expect(begun).toEqual(upTo(7));
});

test("one that takes long leaves the rest to the turns after it", async () => {
  join(0, 20);
  for (const number of [1, 2]) join(number, 5);
  await nextTurn();
  expect(begun).toEqual([0, 1]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2]);
});

test("who has waited too long gives up, unless the line is short", async () => {
  join(0, 20);
  for (const number of [1, 2, 3, 4, 5]) join(number);
  time += 200;
  await nextTurn();
  expect(givenUp).toEqual([1, 2]);
  expect(begun).toEqual([0, 3, 4, 5]);
});
