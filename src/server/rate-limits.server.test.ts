import type { IncomingMessage } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createNetworksOf } from "../http/clients/client-address.server.ts";
import { createRateCounters } from "../http/clients/rate-limit.server.ts";
import { createLogger } from "../lib/logger.server.ts";
import { rateLimits } from "./rate-limits.server.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;
const networksOf = createNetworksOf([]);
const log = createLogger("silent", { write: () => {} });

test("windows of frequent requests are short, others an hour at most", () => {
  const { requests, api, pages, searches, renderings, ...others } = rateLimits;
  // An address is forgotten when its window has ended.
  for (const { seconds } of [requests, api, pages, searches, renderings]) expect(seconds).toBeLessThan(25);
  for (const { seconds } of Object.values(others)) expect(seconds * 1_000).toBeLessThanOrEqual(HOUR);
});

test("a flood of addresses takes little memory, and none is remembered once the windows have ended", () => {
  const before = usedMegabytes();
  const counters = Object.values(rateLimits).map(createRateCounters({ networksOf, log }));
  let refused = 0;
  for (let n = 0; n < 22_000; n++) {
    const remoteAddress = `${(n >> 16) + 1}.${(n >> 8) & 255}.${n & 255}.7`;
    const request = { socket: { remoteAddress }, headers: {} } as unknown as IncomingMessage;
    for (const count of counters) refused += count(request);
  }
  const flooded = usedMegabytes() - before;
  expect(flooded).toBeLessThan(60);
  vi.advanceTimersByTime(HOUR);
  expect(usedMegabytes() - before).toBeLessThan(flooded / 3);
  // Keeps the counters in memory.
  expect([refused, counters.length]).toEqual([0, Object.keys(rateLimits).length]);
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function usedMegabytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
