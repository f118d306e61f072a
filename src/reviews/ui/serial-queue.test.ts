import { expect, test } from "vitest";
import { createTurns } from "./serial-queue.ts";

test("what is about the same thing waits for what came before, whatever became of that", async () => {
  const inTurn = createTurns();
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const begin = (name: string, result: Promise<string>) => () => {
    begun.push(name);
    return result;
  };
  const answers = [
    inTurn("show", begin("first", first.promise)),
    inTurn("show", begin("second", Promise.resolve("two"))),
    inTurn("other show", begin("other", Promise.resolve("other"))),
  ];
  await answers[2];
  expect(begun).toEqual(["first", "other"]);
  first.reject(new Error("lost"));
  await expect(answers[0]).rejects.toThrow("lost");
  expect(await answers[1]).toBe("two");
  expect(begun).toEqual(["first", "other", "second"]);
});
