import { pino } from "pino";
import { afterEach, expect, inject, test, vi } from "vitest";
import { waitForServer } from "../../src/database/connection/check-server.server.ts";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import { connectDatabase, openDatabase } from "../../src/database/open.server.ts";
import { DeadlineExceededError } from "../../src/database/query/transaction-before.server.ts";
import { OperatorError } from "../../src/lib/operator-error.ts";
import { createDatabase } from "../support/postgres-server.ts";
import { setUpDatabase, setUpRelay } from "../support/set-up.ts";

const database = await setUpDatabase();
const relay = await setUpRelay(database);
afterEach(() => {
  relay.cut();
  relay.restore();
});
const logLines: string[] = [];
const log = pino({}, { write: (line) => void logLines.push(line) });
const open = (databaseUrl: string) =>
  openDatabase({ databaseUrl, dataDir: "/nonexistent", log, sharing: "own" });

const urlWith = (change: Partial<Pick<URL, "password" | "pathname">>) =>
  Object.assign(new URL(database.url), change).href;

test("a start reports a collation of another version, and the commands that fix it", async () => {
  const welsh = "template template0 encoding 'UTF8' locale_provider icu icu_locale 'cy'";
  const foreign = await createDatabase(inject("postgresUrl"), welsh);
  const name = new URL(foreign.url).pathname.slice(1);
  const collationLines = () => logLines.filter((line) => line.includes("COLLATION"));
  await (await open(foreign.url)).close();
  expect(collationLines()).toEqual([]);
  await foreign.pool.query("update pg_database set datcollversion = '1.2.3' where datname = $1", [name]);
  await (await open(foreign.url)).close();
  const [line = "{}", ...others] = collationLines();
  expect(others).toEqual([]);
  expect(JSON.parse(line)).toMatchObject({ level: 40, recorded: "1.2.3" });
  const commands = line.match(/(REINDEX|ALTER) DATABASE [^;]*;/g) ?? [];
  expect(commands).toHaveLength(2);
  for (const command of commands) await foreign.pool.query(command);
  await (await open(foreign.url)).close();
  expect(collationLines()).toEqual([line]);
  await foreign.close();
});

test.each([
  ["a wrong password", { password: "Open-Sesame" }, 'password authentication failed for user "front_row"'],
  ["a missing database", { pathname: "/nowhere" }, 'database "nowhere" does not exist'],
])("%s fails at once, with one line without the password", async (_what, change, reason) => {
  const { host, pathname } = new URL(urlWith(change));
  const message = `The database at ${host}${pathname} cannot be used: ${reason}. Check DATABASE_URL.`;
  const start = performance.now();
  await expect(open(urlWith(change))).rejects.toThrow(new OperatorError(message));
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(logLines.join()).not.toContain("Open-Sesame");
});

test("a server that refuses connections is retried, one that is silent times out; both fail with one line", async () => {
  const waiting = (url: string) => {
    const withPassword = Object.assign(new URL(url), { password: "Open-Sesame" });
    return waitForServer(withPassword.href, log, { connect: 300, retry: 600 });
  };
  relay.isolate();
  await expect(waiting(relay.url)).rejects.toThrow(/cannot be used: timeout expired\. Check DATABASE_URL\.$/);
  const closed = "127.0.0.1:9";
  const refused = `The database at ${closed}/x cannot be used: connect ECONNREFUSED ${closed}. Check DATABASE_URL.`;
  await expect(waiting(`postgres://nobody@${closed}/x`)).rejects.toThrow(refused);
  expect(logLines.join()).toContain("Waiting for the database at");
  expect(logLines.join()).not.toContain("Open-Sesame");
});

test("a server that starts during the retries is used", async () => {
  relay.cut();
  const usable = waitForServer(relay.url, log, { connect: 5_000, retry: 60_000 });
  await vi.waitUntil(() => logLines.join().includes(new URL(relay.url).host), 10_000);
  relay.restore();
  await usable;
});

test("a silent connection times out and is replaced", async () => {
  // On a busy machine a query may take some hundred ms; only the silence must exceed the timeout.
  const { pool, close } = connectDatabase(relay.url, log, async () => {}, { responseTimeout: 2_000 });
  await pool.query("select 1");
  relay.silence();
  await expect(pool.query("select 1")).rejects.toThrow("The database has not answered for 2000 ms");
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await close();
});

const waitOptions = { timeout: 10_000 };
const openSubscriptions: { close(): unknown }[] = [];
afterEach(() => Promise.all(openSubscriptions.splice(0).map((subscription) => subscription.close())));

const notify = (channel: string, payload: string) =>
  database.pool.query("select pg_notify($1, $2)", [channel, payload]);

type Options = Partial<Parameters<typeof subscribeToNotifications>[0]>;

function subscribe({ onConnected, ...options }: Options = {}) {
  const received: string[] = [];
  const connectedSpy = vi.fn(onConnected);
  const handlers = {
    fruit: (payload: string) => received.push(`fruit ${payload}`),
    "odd Name": (payload: string) => received.push(`odd ${payload}`),
    broken: () => {
      throw new Error("A handler that fails");
    },
    rejecting: () => Promise.reject(new Error("A handler that fails later")),
    outage: () => Promise.reject(new DeadlineExceededError()),
  };
  const defaults = { url: database.url, handlers, onConnected: connectedSpy, log };
  const { firstAttempt, close } = subscribeToNotifications({ ...defaults, ...options });
  openSubscriptions.push({ close });
  const connected = (count: number) =>
    expect.poll(() => connectedSpy.mock.calls.length, waitOptions).toBe(count);
  return { received, connected, firstAttempt, close };
}

test("a notification reaches only the handler of its channel, and one that fails affects no other", async () => {
  const { received, connected } = subscribe();
  await connected(1);
  for (const channel of ["broken", "rejecting", "vegetable", "fruit"]) await notify(channel, "pear");
  await notify("odd Name", "");
  await expect.poll(() => received, waitOptions).toEqual(["fruit pear", "odd "]);
});

test("where onConnected or a handler meets an outage, the subscription reconnects and logs no bug", async () => {
  logLines.length = 0;
  const outage = Object.assign(new Error("connect ECONNREFUSED"), { syscall: "connect" });
  const onConnected = vi.fn().mockRejectedValueOnce(outage);
  const { connected, received } = subscribe({ onConnected });
  await connected(2);
  await notify("outage", "");
  await connected(3);
  await notify("fruit", "plum");
  await expect.poll(() => received, waitOptions).toEqual(["fruit plum"]);
  expect(logLines.join()).not.toContain("Handling a database notification failed");
});

test("firstAttempt resolves after onConnected has finished, or when connecting fails", async () => {
  const { promise: setUp, resolve: finish } = Promise.withResolvers<void>();
  const subscription = subscribe({ onConnected: () => setUp });
  await subscription.connected(1);
  const outcome = Promise.race([
    subscription.firstAttempt.then(() => "over"),
    notify("fruit", "fig").then(() => "not yet"),
  ]);
  expect(await outcome).toBe("not yet");
  finish();
  await subscription.firstAttempt;
  await subscribe({ url: "postgres://unknown@127.0.0.1:9/unknown" }).firstAttempt;
});

test("the heartbeat detects a silent connection and replaces it", async () => {
  const { connected } = subscribe({ url: relay.url, heartbeat: { interval: 100, timeout: 2_000 } });
  await connected(1);
  relay.silence();
  await connected(2);
});

test("close ends the connection for good, and no handler runs afterwards", async () => {
  const { received, connected, close } = subscribe();
  await connected(1);
  await close();
  const listening =
    "select from pg_stat_activity where application_name = 'front-row-listen' and datname = current_database()";
  await vi.waitUntil(async () => (await database.pool.query(listening)).rowCount === 0, 10_000);
  await notify("fruit", "fig");
  expect(received).toEqual([]);
});
