import { setImmediate as soon } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { BusyPageError } from "./overload-page.server.ts";
import { createQueue } from "./overload-queue.server.ts";

/** A queue for work of 100 ms by a clock of its own, which nobody waits for more than 300 ms. */
function startQueue() {
  let time = 0;
  const onRefused = vi.fn();
  const { inTurn, admit } = createQueue({ onRefused, longestWait: 300, handful: 2, now: () => time });
  const done: number[] = [];
  let atWork = 0;
  async function work(name: number): Promise<number> {
    admit();
    return inTurn(async () => {
      expect(++atWork).toBe(1);
      await soon();
      time += 100;
      atWork--;
      done.push(name);
      return name;
    });
  }
  return { work, done, onRefused };
}

test("work is done one piece after the other, in the order in which it came", async () => {
  const { work, done } = startQueue();
  expect(await Promise.all([1, 2, 3].map(work))).toEqual([1, 2, 3]);
  expect(done).toEqual([1, 2, 3]);
});

test("what would have to wait too long is refused with a page, and what comes later is done again", async () => {
  const { work, onRefused } = startQueue();
  for (let index = 0; index < 30; index++) await work(index);
  for (let turns = 0; turns < 50; turns++) await soon();
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => work(index)));
  const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
  expect(results.slice(0, 4).map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
  expect(refused).toHaveLength(16);
  expect(onRefused).toHaveBeenCalledTimes(16);
  for (const reason of refused) {
    expect(reason).toBeInstanceOf(BusyPageError);
    expect(reason.page).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
  }
  for (let turns = 0; turns < 100; turns++) await soon();
  expect(await work(99)).toBe(99);
});

test("work that fails is its own affair", async () => {
  const { work } = startQueue();
  const { inTurn } = createQueue({ onRefused: () => {} });
  await expect(inTurn(async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await inTurn(async () => "done")).toBe("done");
  expect(await work(1)).toBe(1);
});
