import pino from "pino";
import { expect, test, vi } from "vitest";
import { createRefusalLog } from "./security-log.server.ts";

test("each kind of refusal is logged at most 60 times a minute", () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const logRefusal = createRefusalLog(pino({}, { write: (line) => void lines.push(line) }));
  const count = (reason: string) => lines.filter((line) => line.includes(`"${reason}"`)).length;
  const refuse = (reason: string, times: number) => {
    for (let i = 0; i < times; i++) logRefusal({ event: "write_refused", reason });
  };
  refuse("not_your_review", 61);
  refuse("invalid_state", 3);
  vi.advanceTimersByTime(59_000);
  refuse("not_your_review", 80);
  expect([count("not_your_review"), count("invalid_state")]).toEqual([60, 3]);
  vi.advanceTimersByTime(2_000);
  refuse("not_your_review", 100);
  expect(count("not_your_review")).toBe(120);
  vi.useRealTimers();
});
