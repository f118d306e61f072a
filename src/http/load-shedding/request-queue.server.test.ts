import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRequestQueue } from "./request-queue.server.ts";

/** @param clients one letter for each request. @param first how long the first request takes; others: 50 ms */
async function runQueue(clients: string, minQueueLength: number, first = 50) {
  let time = 0;
  const queue = createRequestQueue({ maxWait: 200, minQueueLength, now: () => time });
  const started: string[] = [];
  const refused: string[] = [];
  const counts = new Map<string, number>();
  for (const client of clients) {
    const count = (counts.get(client) ?? 0) + 1;
    counts.set(client, count);
    const name = `${client}${count}`;
    const start = () => {
      time += started.length === 0 ? first : 50;
      started.push(name);
    };
    queue.add({ client, start, refuse: () => refused.push(name) });
  }
  while (started.length + refused.length < clients.length) await yieldToEventLoop();
  return { started, refused };
}

test.each([
  ["aaaa", "a1 a2 a3 a4"],
  ["aaabbc", "a1 b1 c1 a2 b2 a3"],
  ["aaaab", "a1 b1 a2 a3 a4"],
  ["abcda", "a1 b1 c1 d1 a2"],
])("clients take turns, each in its order of arrival: %s", async (clients, started) => {
  expect(await runQueue(clients, 20)).toEqual({ started: started.split(" "), refused: [] });
});

test.each([
  ["aaaaaaaaaabcd", "a1 b1 c1 d1 a2 a10"],
  ["baaaaaaaaaac", "b1 a1 c1 a2 a3 a10"],
  ["aaaaaaaabbbbbbbbc", "a1 b1 c1 a2 b2 b8"],
])("what waited too long is refused: %s", async (clients, expected) => {
  const { started, refused } = await runQueue(clients, 1);
  expect(started).toEqual(expected.split(" "));
  expect(refused).toHaveLength(clients.length - started.length);
});

test.each([
  ["aaaaaaaab", 3],
  ["baaaaaaaacc", 4],
  ["aaaaaaaabbbbbbbbcd", 5],
])("after a stall, few requests of a client are not refused: %s", async (clients, min) => {
  const { refused } = await runQueue(clients, min, 300);
  expect(refused.length).toBeGreaterThan(0);
  for (const [client = ""] of refused) expect(clients.split(client).length - 1).toBeGreaterThan(min);
});
