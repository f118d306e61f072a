import { once } from "node:events";
import { connect, createServer } from "node:net";
import { pipeline, Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { waitForServer } from "../../src/database/connection/check-server.server.ts";
import { DatabaseStartError } from "../../src/database/database-start-error.server.ts";
import { connectDatabase, openDatabase } from "../../src/database/open.server.ts";
import { startRelay } from "../support/database-relay.ts";
import { createEmptyDatabase } from "../support/postgres.ts";

const empty = await createEmptyDatabase();
afterAll(() => empty.close());

const written: string[] = [];
const log = pino(new Writable({ write: (line, _, done) => done(void written.push(String(line))) }));
const open = (databaseUrl: string) => openDatabase({ databaseUrl, dataDir: "/nonexistent", log, sharing: "own" });

/** The given URL with something changed. */
function changed(change: Partial<Pick<URL, "password" | "port" | "pathname">>): string {
  return Object.assign(new URL(empty.url), change).href;
}

async function refusal(databaseUrl: string): Promise<string> {
  const error: unknown = await open(databaseUrl).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(DatabaseStartError);
  return error instanceof DatabaseStartError ? error.message : "";
}

test("a database given by its URL is migrated and used", async () => {
  const database = await open(empty.url);
  expect(await database.db.selectFrom("shows").selectAll().execute()).toEqual([]);
  await database.close();
});

test("a wrong password is refused at once, in one line without it", async () => {
  const since = performance.now();
  const message = await refusal(changed({ password: "Open-Sesame" }));
  expect(performance.now() - since).toBeLessThan(5_000);
  const { host, pathname } = new URL(empty.url);
  expect(message).toBe(
    `The database at ${host}${pathname} cannot be used: password authentication failed for user "front_row". Check DATABASE_URL.`,
  );
  expect(written.join()).not.toContain("Open-Sesame");
});

test("a database that does not exist is refused in one line", async () => {
  expect(await refusal(changed({ pathname: "/nowhere" }))).toContain('database "nowhere" does not exist');
});

test("a server that refuses connections is waited for, then refused in one line without the password", async () => {
  const port = String(await freePort());
  const url = changed({ port, password: "Open-Sesame" });
  await expect(waitForServer(url, log, { connect: 300, retry: 600 })).rejects.toThrow(
    `The database at 127.0.0.1:${port}${new URL(url).pathname} cannot be used: connect ECONNREFUSED 127.0.0.1:${port}. Check DATABASE_URL.`,
  );
  expect(written.join()).toContain("Waiting for the database at");
  expect(written.join()).not.toContain("Open-Sesame");
});

test("a server that never answers is given up on", async () => {
  const port = await freePort();
  const silent = createServer().listen(port, "127.0.0.1");
  await once(silent, "listening");
  const trying = waitForServer(changed({ port: String(port) }), log, { connect: 300, retry: 600 });
  await expect(trying).rejects.toThrow(/cannot be used: timeout expired\. Check DATABASE_URL\.$/);
  silent.close();
});

test("a server that comes up meanwhile is used", async () => {
  const port = await freePort();
  const usable = waitForServer(changed({ port: String(port) }), log, { connect: 5_000, retry: 60_000 });
  const { hostname, port: real } = new URL(empty.url);
  // On a busy machine a try may take too long, and reset its connection when it is given up.
  const relay = createServer((socket) => pipeline(socket, connect(Number(real), hostname), socket, () => {}));
  relay.listen(port, "127.0.0.1");
  await usable;
  relay.close();
});

test("the pool survives the loss of its connections, idle and in use", async () => {
  const database = await open(empty.url);
  const others =
    "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'front-row' and datname = current_database() and pid <> pg_backend_pid()";
  await Promise.all([database.pool.query("select pg_sleep(0.05)"), database.pool.query("select pg_sleep(0.05)")]);
  await empty.pool.query(others);
  await expect.poll(() => database.pool.totalCount, { timeout: 5_000 }).toBe(0);
  expect(written.join()).toContain("An idle database connection was lost");

  const transaction = await database.db.startTransaction().execute();
  await transaction.selectFrom("shows").selectAll().execute();
  await empty.pool.query(others);
  await expect(transaction.selectFrom("shows").selectAll().execute()).rejects.toThrow();
  await transaction
    .rollback()
    .execute()
    .catch(() => {});
  expect((await database.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await database.close();
});

test("a connection that is dead without saying so is given up and replaced", async () => {
  const relay = await startRelay(empty.url);

  // A busy machine may take some hundred ms for an answer: nothing else is to count as dead.
  const { pool, close } = connectDatabase(relay.url, log, async () => {}, { responseTimeout: 2_000 });
  await pool.query("select 1");
  relay.silence();
  await expect(pool.query("select 1")).rejects.toThrow("The database has not answered for 2000 ms");
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await close();
  await relay.close();
});
