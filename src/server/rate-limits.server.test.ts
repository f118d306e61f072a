import type { IncomingMessage } from "node:http";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { usedMegabytes } from "../../tests/support/memory.ts";
import { createNetworksOf } from "../http/clients/client-address.server.ts";
import { createRateCounters } from "../http/clients/rate-limit.server.ts";
import { redirectToOrigin } from "../http/requests/redirect-to-origin.server.ts";
import { createLogger } from "../lib/logger.server.ts";
import { rateLimits } from "./rate-limits.server.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

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

test("redirects of long addresses take little memory, and none is remembered once a loop would be over", async () => {
  const app = new Hono().use(redirectToOrigin({ origin: "https://rows.example", networksOf, log }));
  const env = { incoming: { socket: { remoteAddress: "198.51.100.3" }, headers: {} } };
  const statusOf = async (path: string) =>
    (await app.request(path, { headers: { Host: "192.0.2.7" } }, env)).status;
  const before = usedMegabytes();
  for (let n = 0; n < 11_000; n++) expect(await statusOf(`/?${n}${"x".repeat(2_000)}`)).toBe(302);
  expect(usedMegabytes() - before).toBeLessThan(10);
  vi.advanceTimersByTime(8_000);
  expect(usedMegabytes() - before).toBeLessThan(5);
  expect(await statusOf("/")).toBe(302);
});
