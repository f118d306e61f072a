import { expect, test } from "vitest";
import { readOptions } from "./options.ts";
import { UsageError } from "./rule-options.ts";

const small = ["--size", "30"];
const rulesFor = (...args: string[]) => readOptions([...small, ...args]).faults?.rules;

test("each option is parsed into its fault", () => {
  expect(rulesFor("--slow", "500")).toEqual([{ kind: "slow", ms: 500 }]);
  expect(rulesFor("--hang", "2")).toEqual([{ kind: "hang", times: 2 }]);
  expect(rulesFor("--hang", "0")).toEqual([{ kind: "hang" }]);
  expect(rulesFor("--fail", "503")).toEqual([{ kind: "status", status: 503 }]);
  expect(rulesFor("--fail", "429:1:10")).toEqual([{ kind: "status", status: 429, times: 1, retryAfter: 10 }]);
  expect(rulesFor("--flaky", "503:0.2")).toEqual([{ kind: "status", status: 503, probability: 0.2 }]);
  expect(rulesFor("--garble", "cut:3")).toEqual([{ kind: "cut", times: 3 }]);
  expect(rulesFor("--shuffle")).toEqual([{ kind: "shuffled", places: 100 }]);
  expect(rulesFor("--change", "0.1")).toEqual([{ kind: "changed", probability: 0.1 }]);
  expect(rulesFor("--lose-page", "7")).toEqual([{ kind: "short", keep: 0, from: [600] }]);
  expect(rulesFor("--lose-page", "1:40")).toEqual([{ kind: "short", keep: 40, from: [0] }]);
  expect(rulesFor("--total", "nothing")).toEqual([{ kind: "total", claim: "nothing" }]);
  expect(rulesFor("--total", "12")).toEqual([{ kind: "total", claim: 12 }]);
  expect(rulesFor("--fail", "500:1", "--fail", "502:1")).toHaveLength(2);
});

test("more options may come from a string; the command line takes precedence", () => {
  const { port, faults } = readOptions(small, " --port 4010  --slow 5 ");
  expect([port, faults?.rules]).toEqual([4010, [{ kind: "slow", ms: 5 }]]);
  expect(readOptions([...small, "--port", "4011"], "--port 4010").port).toBe(4011);
});

test.each([
  ["--bogus"],
  ["--slow", "soon"],
  ["--fail", "x"],
  ["--garble", "porridge"],
  ["--shrink", "2"],
  ["--flaky", "503"],
  ["x"],
])("%s %s is a UsageError", (...args) => {
  expect(() => readOptions([...small, ...args])).toThrow(UsageError);
});
