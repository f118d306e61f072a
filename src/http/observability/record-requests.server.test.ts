import { pino } from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { createRequestRecorder } from "./record-requests.server.ts";

afterEach(() => void vi.useRealTimers());

test("logs the first failure of an outage, and the number of others every ten seconds", () => {
  vi.useFakeTimers();
  const lines: object[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  const recordRequest = createRequestRecorder(() => {}, log);
  const request = { method: "PUT", status: 503, reason: "down" };
  const fail = (path: string) => recordRequest({ ...request, path, route: path, refused: false }, 1);
  const first = { level: 40, ...request, path: "/1", ms: 1, msg: "Request answered" };
  for (const path of ["/1", "/2", "/3"]) fail(path);
  expect(lines).toEqual([first]);
  vi.advanceTimersByTime(10_000);
  expect(lines).toEqual([first, { level: 40, requests: 2, msg: "More requests failed in the outage" }]);
  vi.advanceTimersByTime(60_000);
  fail("/4");
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(2)).toEqual([{ ...first, path: "/4" }]);
});
