import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { busyPage } from "./busy-page.server.ts";
import { createRenderQueue } from "./render-queue.server.ts";

/** A queue for renderings of 100 ms by a clock of its own, in which nobody waits for more than 300 ms. */
function startQueue() {
  let time = 0;
  const onRefused = vi.fn();
  const queue = createRenderQueue({ onRefused, maxWait: 300, spare: 2, now: () => time });
  const done: number[] = [];
  let running = 0;
  async function render(name: number): Promise<number> {
    queue.admit();
    return queue.run(async () => {
      expect(++running).toBe(1);
      await nextTurn();
      time += 100;
      running--;
      done.push(name);
      return name;
    });
  }
  return { render, done, onRefused };
}

test("pages are rendered one after the other, in the order in which they came", async () => {
  const { render, done } = startQueue();
  expect(await Promise.all([1, 2, 3].map(render))).toEqual([1, 2, 3]);
  expect(done).toEqual([1, 2, 3]);
});

test("what would have to wait too long is refused with a page, and what comes later is rendered again", async () => {
  const { render, onRefused } = startQueue();
  for (let index = 0; index < 30; index++) await render(index);
  for (let turns = 0; turns < 50; turns++) await nextTurn();
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => render(index)));
  const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
  expect(results.slice(0, 4).map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
  expect(refused).toHaveLength(16);
  expect(onRefused).toHaveBeenCalledTimes(16);
  for (const reason of refused) expect(reason).toBe(busyPage);
  expect(busyPage).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
  for (let turns = 0; turns < 100; turns++) await nextTurn();
  expect(await render(99)).toBe(99);
});

test("a rendering that fails is its own affair", async () => {
  const { render } = startQueue();
  const queue = createRenderQueue({ onRefused: () => {} });
  await expect(queue.run(async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await queue.run(async () => "done")).toBe("done");
  expect(await render(1)).toBe(1);
});
