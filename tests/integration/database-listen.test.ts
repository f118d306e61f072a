import { pino } from "pino";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import { startRelay } from "../support/database-relay.ts";
import { createEmptyDatabase } from "../support/postgres.ts";

const patiently = { timeout: 10_000 };
const database = await createEmptyDatabase();
afterAll(() => database.close());

const open: { close(): unknown }[] = [];
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

function notify(channel: string, payload: string) {
  return database.pool.query("select pg_notify($1, $2)", [channel, payload]);
}

/** A subscription that records its notifications. */
function listener(
  url = database.url,
  heartbeat?: { interval: number; timeout: number },
  onConnected?: () => Promise<void>,
) {
  const heard: string[] = [];
  const connected = vi.fn(onConnected);
  const handlers = {
    fruit: (payload: string) => heard.push(`fruit ${payload}`),
    "odd Name": (payload: string) => heard.push(`odd ${payload}`),
    broken: () => {
      throw new Error("A handler that fails");
    },
    rejecting: () => Promise.reject(new Error("A handler that fails later")),
  };
  const log = pino({ level: "silent" });
  const { firstAttempt, close } = subscribeToNotifications({ url, handlers, onConnected: connected, log, heartbeat });
  open.push({ close });
  const times = (count: number) => expect.poll(() => connected.mock.calls.length, patiently).toBe(count);
  return { heard, connected: times, firstAttempt, close };
}

test("messages reach the handler of their channel, and of no other", async () => {
  const { heard, connected } = listener();
  await connected(1);
  await notify("fruit", "apple");
  await notify("vegetable", "leek");
  await notify("odd Name", "");
  await expect.poll(() => heard, patiently).toEqual(["fruit apple", "odd "]);
});

test("the first try has ended when what is done at the connection is done, or when there is no connection", async () => {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const there = listener(database.url, undefined, () => done);
  await there.connected(1);
  const outcome = Promise.race([there.firstAttempt.then(() => "over"), notify("fruit", "fig").then(() => "not yet")]);
  expect(await outcome).toBe("not yet");
  finish();
  await there.firstAttempt;
  await listener("postgres://nobody@127.0.0.1:9/nothing").firstAttempt;
});

test("a handler that fails disturbs no other", async () => {
  const { heard, connected } = listener();
  await connected(1);
  for (const channel of ["broken", "rejecting", "fruit"]) await notify(channel, "pear");
  await expect.poll(() => heard, patiently).toEqual(["fruit pear"]);
});

test("a connection that is lost is replaced, and the caller told so", async () => {
  const { heard, connected } = listener();
  await connected(1);
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'front-row-listen' and datname = current_database()",
  );
  await connected(2);
  await notify("fruit", "plum");
  await expect.poll(() => heard, patiently).toEqual(["fruit plum"]);
});

test("a connection that is dead without saying so is noticed", async () => {
  const relay = await startRelay(database.url);

  // A busy machine may take some hundred ms for an answer: nothing else is to count as dead.
  const { connected, close } = listener(relay.url, { interval: 100, timeout: 2_000 });
  await connected(1);
  relay.silence();
  await connected(2);
  await close();
  await relay.close();
});

test("after close nothing is heard, no connection is left, and it does not come back", async () => {
  const { heard, connected, close } = listener();
  await connected(1);
  await close();
  const left = () =>
    database.pool
      .query(
        "select from pg_stat_activity where application_name = 'front-row-listen' and datname = current_database()",
      )
      .then(({ rowCount }) => rowCount);
  await expect.poll(left, patiently).toBe(0);
  await notify("fruit", "fig");
  expect(heard).toEqual([]);
});

test("close ends a listener that has never got through", async () => {
  const url = new URL(database.url);
  url.port = "1";
  const { close } = listener(url.href);
  await close();
});
