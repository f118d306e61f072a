import { pino } from "pino";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import { startRelay } from "../support/database-relay.ts";
import { createEmptyDatabase } from "../support/postgres.ts";

const waitOptions = { timeout: 10_000 };
const database = await createEmptyDatabase();
afterAll(() => database.close());

const openSubscriptions: { close(): unknown }[] = [];
afterEach(() => Promise.all(openSubscriptions.splice(0).map((subscription) => subscription.close())));

function notify(channel: string, payload: string) {
  return database.pool.query("select pg_notify($1, $2)", [channel, payload]);
}

/** Opens a subscription that records its notifications. `connected(n)` waits for its nth connection. */
function subscribe(
  url = database.url,
  heartbeat?: { interval: number; timeout: number },
  onConnected?: () => Promise<void>,
) {
  const received: string[] = [];
  const connectedSpy = vi.fn(onConnected);
  const handlers = {
    fruit: (payload: string) => received.push(`fruit ${payload}`),
    "odd Name": (payload: string) => received.push(`odd ${payload}`),
    broken: () => {
      throw new Error("A handler that fails");
    },
    rejecting: () => Promise.reject(new Error("A handler that fails later")),
  };
  const log = pino({ level: "silent" });
  const { firstAttempt, close } = subscribeToNotifications({
    url,
    handlers,
    onConnected: connectedSpy,
    log,
    heartbeat,
  });
  openSubscriptions.push({ close });
  const connected = (count: number) =>
    expect.poll(() => connectedSpy.mock.calls.length, waitOptions).toBe(count);
  return { received, connected, firstAttempt, close };
}

test("a notification reaches only the handler of its channel", async () => {
  const { received, connected } = subscribe();
  await connected(1);
  await notify("fruit", "apple");
  await notify("vegetable", "leek");
  await notify("odd Name", "");
  await expect.poll(() => received, waitOptions).toEqual(["fruit apple", "odd "]);
});

test("firstAttempt resolves after onConnected has finished, or when connecting fails", async () => {
  const { promise: setUp, resolve: finish } = Promise.withResolvers<void>();
  const subscription = subscribe(database.url, undefined, () => setUp);
  await subscription.connected(1);
  const outcome = Promise.race([
    subscription.firstAttempt.then(() => "over"),
    notify("fruit", "fig").then(() => "not yet"),
  ]);
  expect(await outcome).toBe("not yet");
  finish();
  await subscription.firstAttempt;
  await subscribe("postgres://unknown@127.0.0.1:9/unknown").firstAttempt;
});

test("a failing handler does not affect the others", async () => {
  const { received, connected } = subscribe();
  await connected(1);
  for (const channel of ["broken", "rejecting", "fruit"]) await notify(channel, "pear");
  await expect.poll(() => received, waitOptions).toEqual(["fruit pear"]);
});

test("a lost connection is replaced, and onConnected runs again", async () => {
  const { received, connected } = subscribe();
  await connected(1);
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'front-row-listen' and datname = current_database()",
  );
  await connected(2);
  await notify("fruit", "plum");
  await expect.poll(() => received, waitOptions).toEqual(["fruit plum"]);
});

test("the heartbeat detects a silent connection and replaces it", async () => {
  const relay = await startRelay(database.url);

  // On a busy machine a heartbeat may take some hundred ms; only the silence must exceed the timeout.
  const { connected, close } = subscribe(relay.url, { interval: 100, timeout: 2_000 });
  await connected(1);
  relay.silence();
  await connected(2);
  await close();
  await relay.close();
});

test("close ends the connection for good, and no handler runs any more", async () => {
  const { received, connected, close } = subscribe();
  await connected(1);
  await close();
  const connectionCount = () =>
    database.pool
      .query(
        "select from pg_stat_activity where application_name = 'front-row-listen' and datname = current_database()",
      )
      .then(({ rowCount }) => rowCount);
  await expect.poll(connectionCount, waitOptions).toBe(0);
  await notify("fruit", "fig");
  expect(received).toEqual([]);
});

test("close ends a subscription that never connected", async () => {
  const url = new URL(database.url);
  url.port = "1";
  const { close } = subscribe(url.href);
  await close();
});
