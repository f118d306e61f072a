import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRequestQueue } from "./request-queue.server.ts";

/**
 * Adds the requests of these clients at once. Each takes 50 ms, the first as long as it says; more than 200
 * ms is too long a wait.
 */
async function runQueue(clients: string[], minQueueLength: number, first = 50) {
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

test("requests of one client are started in order of arrival", async () => {
  expect(await runQueue(["a", "a", "a", "a"], 1)).toEqual({ started: ["a1", "a2", "a3", "a4"], refused: [] });
});

test.each([
  [
    ["a", "a", "a", "b", "b", "c"],
    ["a1", "b1", "c1", "a2", "b2", "a3"],
  ],
  [
    ["a", "a", "a", "a", "b"],
    ["a1", "b1", "a2", "a3", "a4"],
  ],
  [
    ["a", "b", "c", "d", "a"],
    ["a1", "b1", "c1", "d1", "a2"],
  ],
])("clients take turns: %j", async (clients, started) => {
  expect(await runQueue(clients, 20)).toEqual({ started, refused: [] });
});

test.each([
  [
    [..."aaaaaaaaaa", "b", "c", "d"],
    ["a1", "b1", "c1", "d1", "a2", "a10"],
  ],
  [
    ["b", ..."aaaaaaaaaa", "c"],
    ["b1", "a1", "c1", "a2", "a3", "a10"],
  ],
  [
    [..."aaaaaaaabbbbbbbb", "c"],
    ["a1", "b1", "c1", "a2", "b2", "b8"],
  ],
])("what waited too long is refused: %j", async (clients, started) => {
  const result = await runQueue(clients, 1);
  expect(result.started).toEqual(started);
  expect(result.refused).toHaveLength(clients.length - started.length);
});

test.each([
  [[..."aaaaaaaa", "b"], 3],
  [["b", ..."aaaaaaaa", "c", "c"], 4],
  [[..."aaaaaaaabbbbbbbb", "c", "d"], 5],
])(
  "after a stall, a client's few requests are not refused because others have sent many: %j",
  async (clients, min) => {
    const { refused } = await runQueue(clients, min, 300);
    expect(refused.length).toBeGreaterThan(0);
    for (const name of refused)
      expect(clients.filter((client) => client === name[0]).length).toBeGreaterThan(min);
  },
);
