import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogger } from "../../lib/logger.server.ts";
import { handleErrors } from "../requests/errors.server.ts";
import { createNetworksOf } from "./client-address.server.ts";
import { createRateCounters, limitRate } from "./rate-limit.server.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const networksOf = createNetworksOf(["10.0.0.0/8"]);

/** An app with a limit of three requests in ten seconds, which tracks at most two clients. */
function createLimitedApp() {
  const app = new Hono();
  const logged: string[] = [];
  const log = createLogger("warn", { write: (line) => void logged.push(line) });
  app.onError(handleErrors(log));
  const createRateCounter = createRateCounters({ networksOf, log, maxNetworks: 2 });
  app.use(limitRate(createRateCounter({ requests: 3, seconds: 10 })));
  app.get("/", (c) => c.text("here"));
  const send = async (remoteAddress: string, headers: Record<string, string> = {}) =>
    app.request("/", { headers }, { incoming: { socket: { remoteAddress }, headers } });
  const sendRepeatedly = (address: string, times: number) =>
    Promise.all(Array.from({ length: times }, async () => (await send(address)).status));
  return { logged, send, sendRepeatedly };
}

test("returns 429 with Retry-After above the limit, and serves the client again after that time", async () => {
  const { send, sendRepeatedly } = createLimitedApp();
  expect(await sendRepeatedly("203.0.113.7", 4)).toEqual([200, 200, 200, 429]);
  vi.advanceTimersByTime(4_000);
  const refused = await send("203.0.113.7");
  expect(refused.headers.get("Retry-After")).toBe("6");
  expect(await refused.json()).toEqual({ code: "network_rate_limited", message: expect.any(String) });
  vi.advanceTimersByTime(6_000);
  expect(await sendRepeatedly("203.0.113.7", 1)).toEqual([200]);
});

test("the addresses of an IPv6 /64 are one client, and those of a /48 may send eight times as many requests", async () => {
  const { sendRepeatedly } = createLimitedApp();
  await sendRepeatedly("2001:db8:0:1::1", 30);
  expect(await sendRepeatedly("2001:db8:0:1::2", 1)).toEqual([429]);
  // Only the first three requests of the /64 count against its /48.
  const statuses: number[] = [];
  for (let network = 2; network < 24; network++)
    statuses.push(...(await sendRepeatedly(`2001:db8:0:${network}::1`, 1)));
  expect(statuses).toEqual([...Array(21).fill(200), 429]);
  expect(await sendRepeatedly("2001:db8:1::1", 1)).toEqual([200]);
});

test.each(["127.0.0.1", "::1", "::ffff:127.0.0.1"])("loopback, %s, is not counted", async (address) => {
  const { send, sendRepeatedly, logged } = createLimitedApp();
  expect(await sendRepeatedly(address, 5)).toEqual([200, 200, 200, 200, 200]);
  expect(logged).toEqual([]);
  for (let sent = 0; sent < 5; sent++) await send(address, { "x-forwarded-for": "203.0.113.7" });
  expect(logged).toEqual([expect.stringContaining("TRUSTED_PROXIES")]);
  expect(logged.join()).not.toContain("203.0.113.7");
});

test("the number of tracked clients is bounded: the one whose window ends first is forgotten", async () => {
  const { sendRepeatedly } = createLimitedApp();
  await sendRepeatedly("203.0.113.1", 3);
  vi.advanceTimersByTime(1_000);
  await sendRepeatedly("203.0.113.2", 3);
  expect(await sendRepeatedly("203.0.113.1", 1)).toEqual([429]);
  await sendRepeatedly("203.0.113.3", 1);
  expect(await sendRepeatedly("203.0.113.2", 1)).toEqual([429]);
  expect(await sendRepeatedly("203.0.113.1", 1)).toEqual([200]);
});
