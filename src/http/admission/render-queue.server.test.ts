import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { busyPage } from "./busy-page.server.ts";
import { createRenderQueue } from "./render-queue.server.ts";

/** A queue with a fake clock, renderings of 100 ms and a maximum wait of 300 ms. */
function startQueue() {
  let time = 0;
  const onRefused = vi.fn();
  const queue = createRenderQueue({ onRefused, maxWait: 300, minQueueLength: 2, now: () => time });
  const done: number[] = [];
  let running = 0;
  async function render(name: number): Promise<number> {
    queue.admit();
    return queue.run(async () => {
      expect(++running).toBe(1);
      await yieldToEventLoop();
      time += 100;
      running--;
      done.push(name);
      return name;
    });
  }
  return { render, done, onRefused };
}

test("pages are rendered one at a time, in order of arrival", async () => {
  const { render, done } = startQueue();
  expect(await Promise.all([1, 2, 3].map(render))).toEqual([1, 2, 3]);
  expect(done).toEqual([1, 2, 3]);
});

test("a page that would wait too long is refused, later ones are rendered (docs/product.md §8.7)", async () => {
  const { render, onRefused } = startQueue();
  for (let index = 0; index < 30; index++) await render(index);
  for (let turn = 0; turn < 50; turn++) await yieldToEventLoop();
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => render(index)));
  const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
  expect(results.slice(0, 4).map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
  expect(refused).toHaveLength(16);
  expect(onRefused).toHaveBeenCalledTimes(16);
  for (const reason of refused) expect(reason).toBe(busyPage);
  expect(busyPage).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
  for (let turn = 0; turn < 100; turn++) await yieldToEventLoop();
  expect(await render(99)).toBe(99);
});

test("a failed rendering does not affect the others", async () => {
  const { render } = startQueue();
  const queue = createRenderQueue({ onRefused: () => {} });
  await expect(queue.run(async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await queue.run(async () => "done")).toBe("done");
  expect(await render(1)).toBe(1);
});
