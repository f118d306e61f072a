import fc from "fast-check";
import type { PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { askAnyTogether, askTogether, type Execution, type Prepared } from "../../src/database/batch.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createTestDatabase } from "../support/postgres.ts";

let database: Database;
let connection: PoolClient;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  connection = await database.pool.connect();
});
afterEach(() => connection.release(true));

const repeat: Prepared = { name: "repeat", text: "select $1::text" };
const divide: Prepared = { name: "divide", text: "select 1 / $1::integer" };
const same = (value: string | null): Execution => ({ statement: repeat, values: [value] });
const once = (text: string): Execution => ({ statement: { name: "", text } });

async function preparedNames(): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>("select name from pg_prepared_statements order by name");
  return rows.map(({ name }) => name);
}

test("every statement is answered, in order, whatever stands in the values", async () => {
  const value = fc.option(fc.string({ unit: "grapheme" }).map((any) => any.replaceAll("\0", "").toWellFormed()));
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 8 }), async (values) => {
      expect(await askTogether(connection, values.map(same))).toEqual(values);
    }),
    { numRuns: 60, examples: [[["'; drop table reviews; --", "\\", "x".repeat(200_000)]]] },
  );
});

test("a statement is answered with the first column of its last row, and with null where there is none", async () => {
  const executions = ["select n, 'second' from generate_series(1, 3) n", "select where false", "select null", "begin"];
  expect(await askTogether(connection, executions.map(once))).toEqual(["3", null, null, null]);
});

test("what has a name is parsed once a connection, and what has none is not kept", async () => {
  await askTogether(connection, [same("a"), same("b"), once("select 1")]);
  const { rows } = await connection.query("select name, prepare_time from pg_prepared_statements");
  await askTogether(connection, [same("c"), once("select 2")]);
  expect(rows).toHaveLength(1);
  expect((await connection.query("select name, prepare_time from pg_prepared_statements")).rows).toEqual(rows);
});

test("after one that fails none is run, its error is told, and the connection goes on", async () => {
  // What a sequence has counted stays counted, whatever becomes of the transaction.
  await connection.query("create temporary sequence run; create temporary table kept (word text)");
  const run = once("insert into kept select nextval('run')");
  const asked = askTogether(connection, [run, { statement: divide, values: ["0"] }, run]);
  await expect(asked).rejects.toMatchObject({ code: "22012" });
  expect((await connection.query("select last_value, is_called from run")).rows).toEqual([
    { last_value: "1", is_called: true },
  ]);
  // Outside of a transaction, what is asked for together is one.
  expect((await connection.query("select word from kept")).rows).toEqual([]);
  expect(await askTogether(connection, [same("on it goes")])).toEqual(["on it goes"]);
});

test("what a batch that failed had already parsed can be asked for again", async () => {
  await expect(askTogether(connection, [{ statement: divide, values: ["0"] }, same("a")])).rejects.toThrow("by zero");
  expect(await preparedNames()).toEqual(["divide"]);
  expect(await askTogether(connection, [{ statement: divide, values: ["1"] }, same("a")])).toEqual(["1", "a"]);
  expect(await preparedNames()).toEqual(["divide", "repeat"]);
});

test("a value that PostgreSQL does not take is told, and harms nothing", async () => {
  await expect(askTogether(connection, [same("with\0in it")])).rejects.toThrow("invalid byte sequence");
  expect(await askTogether(connection, [same("without")])).toEqual(["without"]);
});

test("what was asked for on a connection that is lost fails", async () => {
  const asked = askTogether(connection, [once("select pg_terminate_backend(pg_backend_pid())"), same("too late")]);
  await expect(asked).rejects.toThrow();
  await expect(askTogether(connection, [same("too late")])).rejects.toThrow();
});

test("another statement under a name that is known takes its place, and nothing is an answer as well", async () => {
  await askTogether(connection, [same("a")]);
  const other = { statement: { name: repeat.name, text: "select upper($1::text)" }, values: ["a"] };
  expect(await askTogether(connection, [other, once(""), same("a")])).toEqual(["A", null, "a"]);
});

test("what a connection has forgotten is parsed again, once that was told", async () => {
  await askTogether(connection, [same("a")]);
  await connection.query("deallocate all");
  await expect(askTogether(connection, [same("a")])).rejects.toThrow("does not exist");
  expect(await askTogether(connection, [same("a")])).toEqual(["a"]);
});

test("a connection of the pool is closed when it fails", async () => {
  const process = once("select pg_backend_pid()");
  const [first] = await askAnyTogether(database.pool, [process]);
  expect(await askAnyTogether(database.pool, [process])).toEqual([first]);
  await expect(askAnyTogether(database.pool, [once("select nonsense")])).rejects.toThrow("nonsense");
  expect(await askAnyTogether(database.pool, [process])).not.toEqual([first]);
});

test("a connection of the pool is given back, whether or not it was answered", async () => {
  for (let time = 0; time < 2 * database.pool.options.max; time++) {
    expect(await askAnyTogether(database.pool, [same("yes")])).toEqual(["yes"]);
    await expect(askAnyTogether(database.pool, [once("select nonsense")])).rejects.toThrow("nonsense");
  }
});
