import { expect, test } from "vitest";
import { createSerialQueue } from "./serial-queue.ts";

test("tasks of one key run in sequence, also after a failure", async () => {
  const enqueue = createSerialQueue();
  const first = Promise.withResolvers<string>();
  const started: string[] = [];
  const start = (name: string, result: Promise<string>) => () => {
    started.push(name);
    return result;
  };
  const results = [
    enqueue("show", start("first", first.promise)),
    enqueue("show", start("second", Promise.resolve("two"))),
    enqueue("other show", start("other", Promise.resolve("other"))),
  ];
  await results[2];
  expect(started).toEqual(["first", "other"]);
  first.reject(new Error("lost"));
  await expect(results[0]).rejects.toThrow("lost");
  expect(await results[1]).toBe("two");
  expect(started).toEqual(["first", "other", "second"]);
});
