import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createRenderQueue } from "./render-queue.server.ts";

const refusal = new Error("busy");

/** A queue with a fake clock, renderings of 100 ms and a maximum wait of 300 ms. */
function startQueue() {
  let time = 0;
  const onRefused = vi.fn();
  const queue = createRenderQueue({ onRefused, refusal, maxWait: 300, minQueueLength: 2, now: () => time });
  const done: number[] = [];
  let running = 0;
  async function render(name: number, client: string | null = "somebody"): Promise<number> {
    if (client !== null) queue.shedLoad(client);
    return queue.run(client, async () => {
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

test("a page that would wait too long is refused, later ones are rendered (docs/product.md §8.7)", async () => {
  const { render, onRefused } = startQueue();
  for (let index = 0; index < 30; index++) await render(index);
  for (let turn = 0; turn < 50; turn++) await yieldToEventLoop();
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => render(index)));
  const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
  expect(results.slice(0, 4).map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
  expect(refused).toHaveLength(16);
  expect(onRefused).toHaveBeenCalledTimes(16);
  for (const reason of refused) expect(reason).toBe(refusal);
  for (let turn = 0; turn < 100; turn++) await yieldToEventLoop();
  expect(await render(99)).toBe(99);
});

test("a failed rendering does not affect the others", async () => {
  const queue = createRenderQueue({ onRefused: () => {}, refusal });
  await expect(queue.run("", async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await queue.run("", async () => "done")).toBe("done");
});

test("a rendering that takes longer than its limit is refused, and the next one runs", async () => {
  const onRefused = vi.fn();
  const queue = createRenderQueue({ onRefused, refusal, timeout: 1 });
  const hanging = Promise.withResolvers<string>();
  const late = [null, "203.0.113.1", "2001:db8::/48"].map((client) =>
    queue.run(client, () => hanging.promise),
  );
  for (const result of late) await expect(result).rejects.toBe(refusal);
  expect(onRefused).toHaveBeenCalledTimes(3);
  hanging.reject(new Error("too late"));
  expect(await queue.run("203.0.113.1", async () => "done")).toBe("done");
});

test("clients take turns: a full queue of one client neither refuses nor delays the pages of others", async () => {
  const { render, done, onRefused } = startQueue();
  for (let index = 0; index < 30; index++) await render(index);
  done.length = 0;
  const flood = Array.from({ length: 20 }, (_, index) => render(100 + index, "203.0.113.1"));
  const others = [render(1, "198.51.100.1"), render(2, "2001:db8::/48"), render(3, "198.51.100.2")];
  const [results, rendered] = await Promise.all([Promise.allSettled(flood), Promise.all(others)]);
  expect(rendered).toEqual([1, 2, 3]);
  expect(results.filter(({ status }) => status === "rejected").length).toBeGreaterThan(10);
  expect(onRefused).toHaveBeenCalledTimes(results.filter(({ status }) => status === "rejected").length);
  expect(done).toEqual([100, 1, 2, 3, 101, 102, 103]);
});

test("a client's pages are rendered one at a time, in order of arrival, while it keeps requesting others", async () => {
  const { render, done } = startQueue();
  const inFlight = new Set<Promise<unknown>>();
  for (let name = 0; name < 40; name++) {
    // Many at once, then fewer: later pages must not overtake those that wait.
    while (name >= 6 && inFlight.size > 2) await Promise.race(inFlight);
    const page: Promise<unknown> = render(name).then(() => inFlight.delete(page));
    inFlight.add(page);
  }
  await Promise.all(inFlight);
  expect(done).toEqual(Array.from({ length: 40 }, (_, name) => name));
});

test("a client with two pages is not kept waiting by new clients with one each", async () => {
  const { render, done } = startQueue();
  const own = [render(1, "203.0.113.1"), render(2, "203.0.113.1"), render(3, "203.0.113.1")];
  const others: Promise<number>[] = [];
  for (let index = 0; index < 8; index++) {
    const previous = others.at(-1);
    others.push(render(100 + index, `198.51.100.${index}`));
    await previous;
  }
  await Promise.all([...own, ...others]);
  expect(done.indexOf(3)).toBeLessThan(6);
});

test("a page without a client overtakes those that wait", async () => {
  const { render, done } = startQueue();
  await Promise.all([render(1, "203.0.113.1"), render(2, "203.0.113.2"), render(3, null), render(4, null)]);
  expect(done).toEqual([1, 3, 4, 2]);
});
