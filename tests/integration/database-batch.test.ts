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
  await connection.query("create temporary table run (word text)");
  const run = (word: string) => once(`insert into run values ('${word}')`);
  const asked = askTogether(connection, [run("first"), { statement: divide, values: ["0"] }, run("last")]);
  await expect(asked).rejects.toMatchObject({ code: "22012" });
  // Nor what came before it: outside of a transaction, what is asked for together is one.
  expect((await connection.query("select word from run")).rows).toEqual([]);
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

test("a connection of the pool is given back, whether or not it was answered", async () => {
  for (let time = 0; time < 2 * database.pool.options.max; time++) {
    expect(await askAnyTogether(database.pool, [same("yes")])).toEqual(["yes"]);
    await expect(askAnyTogether(database.pool, [once("select nonsense")])).rejects.toThrow("nonsense");
  }
});
