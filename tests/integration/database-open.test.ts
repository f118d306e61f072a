import { once } from "node:events";
import { connect, createServer } from "node:net";
import { pipeline, Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, expect, inject, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { waitForServer } from "../../src/database/connection/check-server.server.ts";
import { DatabaseStartError } from "../../src/database/database-start-error.server.ts";
import { connectDatabase, openDatabase } from "../../src/database/open.server.ts";
import { startRelay } from "../support/database-relay.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { createDatabase } from "../support/postgres-server.ts";

const emptyDatabase = await createEmptyDatabase();
afterAll(() => emptyDatabase.close());

const logLines: string[] = [];
const log = pino(new Writable({ write: (line, _, done) => done(void logLines.push(String(line))) }));
const open = (databaseUrl: string) =>
  openDatabase({ databaseUrl, dataDir: "/nonexistent", log, sharing: "own" });

/** The database's URL with some parts replaced. */
function urlWith(change: Partial<Pick<URL, "password" | "port" | "pathname">>): string {
  return Object.assign(new URL(emptyDatabase.url), change).href;
}

async function startError(databaseUrl: string): Promise<string> {
  const error: unknown = await open(databaseUrl).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(DatabaseStartError);
  return error instanceof DatabaseStartError ? error.message : "";
}

test("a database given by DATABASE_URL is migrated and opened", async () => {
  const database = await open(emptyDatabase.url);
  expect(await database.db.selectFrom("shows").selectAll().execute()).toEqual([]);
  await database.close();
});

test("a start names a collation of another version, and the commands that put it right", async () => {
  const foreign = await createDatabase(
    inject("postgresUrl"),
    "template template0 encoding 'UTF8' locale_provider icu icu_locale 'cy'",
  );
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

test("a wrong password fails at once, with one line that does not contain it", async () => {
  const start = performance.now();
  const message = await startError(urlWith({ password: "Open-Sesame" }));
  expect(performance.now() - start).toBeLessThan(5_000);
  const { host, pathname } = new URL(emptyDatabase.url);
  expect(message).toBe(
    `The database at ${host}${pathname} cannot be used: password authentication failed for user "front_row". Check DATABASE_URL.`,
  );
  expect(logLines.join()).not.toContain("Open-Sesame");
});

test("a missing database fails with one line", async () => {
  expect(await startError(urlWith({ pathname: "/nowhere" }))).toContain('database "nowhere" does not exist');
});

test("a server that refuses connections is retried, then fails with one line without the password", async () => {
  const port = String(await freePort());
  const url = urlWith({ port, password: "Open-Sesame" });
  await expect(waitForServer(url, log, { connect: 300, retry: 600 })).rejects.toThrow(
    `The database at 127.0.0.1:${port}${new URL(url).pathname} cannot be used: connect ECONNREFUSED 127.0.0.1:${port}. Check DATABASE_URL.`,
  );
  expect(logLines.join()).toContain("Waiting for the database at");
  expect(logLines.join()).not.toContain("Open-Sesame");
});

test("a server that never responds times out", async () => {
  const port = await freePort();
  const silentServer = createServer().listen(port, "127.0.0.1");
  await once(silentServer, "listening");
  const waiting = waitForServer(urlWith({ port: String(port) }), log, { connect: 300, retry: 600 });
  await expect(waiting).rejects.toThrow(/cannot be used: timeout expired\. Check DATABASE_URL\.$/);
  silentServer.close();
});

test("a server that starts during the retries is used", async () => {
  const port = await freePort();
  const usable = waitForServer(urlWith({ port: String(port) }), log, { connect: 5_000, retry: 60_000 });
  const { hostname, port: serverPort } = new URL(emptyDatabase.url);
  // On a busy machine an attempt may time out and reset its connection; pipeline ignores the error.
  const relay = createServer((socket) =>
    pipeline(socket, connect(Number(serverPort), hostname), socket, () => {}),
  );
  relay.listen(port, "127.0.0.1");
  await usable;
  relay.close();
});

test("the pool survives the loss of its connections, idle and in use", async () => {
  const database = await open(emptyDatabase.url);
  const terminateConnections =
    "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'front-row' and datname = current_database() and pid <> pg_backend_pid()";
  await Promise.all([
    database.pool.query("select pg_sleep(0.05)"),
    database.pool.query("select pg_sleep(0.05)"),
  ]);
  await emptyDatabase.pool.query(terminateConnections);
  await expect.poll(() => database.pool.totalCount, { timeout: 5_000 }).toBe(0);
  expect(logLines.join()).toContain("An idle database connection was lost");

  const transaction = await database.db.startTransaction().execute();
  await transaction.selectFrom("shows").selectAll().execute();
  await emptyDatabase.pool.query(terminateConnections);
  await expect(transaction.selectFrom("shows").selectAll().execute()).rejects.toThrow();
  await transaction
    .rollback()
    .execute()
    .catch(() => {});
  expect((await database.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await database.close();
});

test("a silent connection times out and is replaced", async () => {
  const relay = await startRelay(emptyDatabase.url);

  // On a busy machine a query may take some hundred ms; only the silence must exceed the timeout.
  const { pool, close } = connectDatabase(relay.url, log, async () => {}, { responseTimeout: 2_000 });
  await pool.query("select 1");
  relay.silence();
  await expect(pool.query("select 1")).rejects.toThrow("The database has not answered for 2000 ms");
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await close();
  await relay.close();
});
