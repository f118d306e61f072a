import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { createQueue, createWorkQueue } from "./queue.server.ts";

/** @param clients one letter for each entry; 0 comes first. @param first how long the first entry takes; others: 50 ms */
async function runQueue(clients: string, minLength: number, first = 50) {
  let time = 0;
  const enter = createQueue({ places: 1_000, room: 1_000, maxWait: 200, minLength, now: () => time });
  const started: string[] = [];
  const refused: string[] = [];
  const counts = new Map<string, number>();
  for (const client of clients) {
    const count = (counts.get(client) ?? 0) + 1;
    counts.set(client, count);
    const name = `${client}${count}`;
    const start = async () => {
      time += started.length === 0 ? first : 50;
      started.push(name);
    };
    enter({ client: client === "0" ? null : client, start, refuse: () => refused.push(name) });
  }
  while (started.length + refused.length < clients.length) await yieldToEventLoop();
  return { started, refused };
}

test.each([
  ["aaaa", "a1 a2 a3 a4"],
  ["aaabbc", "a1 b1 c1 a2 b2 a3"],
  ["aaaab", "a1 b1 a2 a3 a4"],
  ["abcda", "a1 b1 c1 d1 a2"],
  ["aab0b0", "01 02 a1 b1 a2 b2"],
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
])("after a stall, few entries of a client are not refused: %s", async (clients, min) => {
  const { refused } = await runQueue(clients, min, 300);
  expect(refused.length).toBeGreaterThan(0);
  for (const [client = ""] of refused) expect(clients.split(client).length - 1).toBeGreaterThan(min);
});

test.each([
  ["a", "aaaaaaaab", "a a b"],
  ["an unknown client", " ".repeat(10), " ".repeat(8)],
  ["many clients", "abcdefghijkl", "a b c d e f g h"],
])("work of %s finds as much room as it may have", async (_, clients, started) => {
  const limits = { places: 8, room: 8, maxWait: 0, minLength: 100 };
  const enter = createQueue(limits);
  const entered: string[] = [];
  let refused = 0;
  const hanging = Promise.withResolvers<void>();
  for (const client of clients) {
    const start = () => {
      entered.push(client);
      return hanging.promise;
    };
    enter({ client: client.trim(), start, refuse: () => refused++ });
  }
  const expected = started === " ".repeat(8) ? [...started] : started.split(" ");
  await expect.poll(() => entered.toSorted()).toEqual(expected);
  expect(refused).toBe(clients.length - expected.length);
  hanging.resolve();
  await expect.poll(() => enterOne(enter)).toBe("started");
});

const enterOne = (enter: ReturnType<typeof createQueue>) =>
  new Promise<string>((resolve) => {
    const start = async () => resolve("started");
    enter({ client: "a", start, refuse: () => resolve("refused") });
  });

const refusal = new Error("busy");

/** A queue with a fake clock, renderings of 100 ms and a maximum wait of 300 ms. */
function startRendering() {
  let time = 0;
  const limits = { places: 1, room: 1_000, maxWait: 300, minLength: 2, pauseTicks: 16, timeout: 60_000 };
  const runInTurn = createWorkQueue({ ...limits, refusal, now: () => time });
  const done: number[] = [];
  let running = 0;
  const render = (name: number, client: string | null = "somebody", isMust = client === null) =>
    runInTurn(
      client,
      async () => {
        expect(++running).toBe(1);
        await yieldToEventLoop();
        time += 100;
        running--;
        done.push(name);
        return name;
      },
      isMust,
    );
  return { render, done };
}

const range = (length: number) => Array.from({ length }, (_, index) => index);

test("a page that waited too long is refused, later ones are rendered (docs/product.md §8.7)", async () => {
  const { render } = startRendering();
  const results = await Promise.allSettled(range(20).map((index) => render(index)));
  const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
  expect(results.slice(0, 4).map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
  // The last ones are a short queue.
  expect(refused).toHaveLength(14);
  for (const reason of refused) expect(reason).toBe(refusal);
  expect(await render(99)).toBe(99);
});

test("a failed rendering does not affect the others", async () => {
  const limits = { places: 1, room: 8, maxWait: 300, minLength: 8, timeout: 60_000 };
  const runInTurn = createWorkQueue({ ...limits, refusal });
  await expect(runInTurn("", async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await runInTurn("", async () => "done")).toBe("done");
});

test("a rendering that takes longer than its limit is refused, and the next one runs", async () => {
  const limits = { places: 1, room: 8, maxWait: 300, minLength: 8, timeout: 1 };
  const runInTurn = createWorkQueue({ ...limits, refusal });
  const hanging = Promise.withResolvers<string>();
  const late = [null, "203.0.113.1", "2001:db8::/48"].map((client) =>
    runInTurn(client, () => hanging.promise, client === null),
  );
  for (const result of await Promise.allSettled(late)) expect(result).toMatchObject({ reason: refusal });
  hanging.reject(new Error("too late"));
  expect(await runInTurn("203.0.113.1", async () => "done")).toBe("done");
});

test("a page without a client overtakes those that wait, and what must be rendered is not refused", async () => {
  const { render, done } = startRendering();
  const late = range(8).map((index) => render(10 + index, "203.0.113.1", true));
  await Promise.all([render(2, "203.0.113.2"), render(3, null), render(4, null), ...late]);
  expect(done.slice(0, 4)).toEqual([3, 4, 10, 2]);
  expect(done).toHaveLength(11);
});
