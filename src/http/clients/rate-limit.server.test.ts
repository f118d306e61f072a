import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogger } from "../../lib/logger.server.ts";
import { handleErrors } from "../requests/errors.server.ts";
import { createCountClients, limitClients } from "./rate-limit.server.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An app that a client may ask three times in ten seconds; counts no more than two clients at a time. */
function createApp() {
  const app = new Hono();
  const logged: string[] = [];
  const log = createLogger("warn", { write: (line) => void logged.push(line) });
  app.onError(handleErrors(log));
  const countClients = createCountClients({ trustedProxies: ["10.0.0.0/8"], log, maxNetworks: 2 });
  app.use(limitClients(countClients({ requests: 3, seconds: 10 })));
  app.get("/", (c) => c.text("here"));
  const ask = (remoteAddress: string, headers = {}) =>
    app.request("/", {}, { incoming: { socket: { remoteAddress }, headers } });
  const askOften = async (address: string, times: number) => {
    const statuses: number[] = [];
    for (let time = 0; time < times; time++) statuses.push((await ask(address)).status);
    return statuses;
  };
  return { ask, askOften, logged };
}

test("a client that asks too often is told when to come again, and then is answered again", async () => {
  const { ask, askOften } = createApp();
  expect(await askOften("203.0.113.7", 4)).toEqual([200, 200, 200, 429]);
  vi.advanceTimersByTime(4_000);
  const refused = await ask("203.0.113.7");
  expect(refused.headers.get("Retry-After")).toBe("6");
  expect(await refused.json()).toEqual({ code: "rate_limited", message: expect.any(String) });
  vi.advanceTimersByTime(6_000);
  expect(await askOften("203.0.113.7", 1)).toEqual([200]);
});

test("others are not concerned, but all of an IPv6 network are one client", async () => {
  const { askOften } = createApp();
  await askOften("2001:db8:0:1::1", 3);
  expect(await askOften("2001:db8:0:1::2", 1)).toEqual([429]);
  expect(await askOften("2001:db8:0:2::1", 1)).toEqual([200]);
});

test("whoever has many IPv6 networks may ask eight times as often, in all of them together", async () => {
  const { askOften } = createApp();
  const statuses: number[] = [];
  for (let network = 0; network < 25; network++) statuses.push(...(await askOften(`2001:db8:0:${network}::1`, 1)));
  expect(statuses).toEqual([...Array(24).fill(200), 429]);
  expect(await askOften("2001:db8:1::1", 1)).toEqual([200]);
});

test("a network that asks too often does not use up what its neighbours may", async () => {
  const { askOften } = createApp();
  await askOften("2001:db8:0:1::1", 30);
  expect(await askOften("2001:db8:0:2::1", 3)).toEqual([200, 200, 200]);
});

test("the client is whom a trusted proxy names, and nobody by what they say of themselves", async () => {
  const { ask } = createApp();
  const statuses = async (peer: string) => {
    const asked = ["1", "2", "3", "4"].map((n) => ask(peer, { "x-forwarded-for": `198.51.100.${n}` }));
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  expect(await statuses("10.0.0.1")).toEqual([200, 200, 200, 200]);
  expect(await statuses("203.0.113.7")).toEqual([200, 200, 200, 429]);
});

test.each(["127.0.0.1", "::1", "::ffff:127.0.0.1"])("this machine itself, %s, is not counted", async (address) => {
  const { ask, askOften, logged } = createApp();
  expect(await askOften(address, 5)).toEqual([200, 200, 200, 200, 200]);
  expect(logged).toEqual([]);
  for (let time = 0; time < 5; time++) await ask(address, { "x-forwarded-for": "203.0.113.7" });
  expect(logged).toEqual([expect.stringContaining("TRUSTED_PROXIES")]);
  expect(logged.join()).not.toContain("203.0.113.7");
});

test("no more clients are counted than there is room for: the one that was quiet longest is forgotten", async () => {
  const { askOften } = createApp();
  await askOften("203.0.113.1", 3);
  await askOften("203.0.113.2", 3);
  expect(await askOften("203.0.113.1", 1)).toEqual([429]);
  await askOften("203.0.113.3", 1);
  expect(await askOften("203.0.113.1", 1)).toEqual([429]);
  expect(await askOften("203.0.113.2", 1)).toEqual([200]);
});
