import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Columns, readCopied } from "../../src/database/copied-rows.server.ts";
import { type Copy, inOneMoment } from "../../src/database/one-moment.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createTestDatabase } from "../support/postgres.ts";

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  await sql`create table copied (line integer, text text, maybe text, amount float8)`.execute(database.db);
});
afterAll(() => database.close());

interface Row {
  line: number;
  text: string;
  maybe: string | null;
  amount: number;
}

const columns = "line, text, maybe, amount";

function readRow(from: Columns): Row {
  return { line: from.integer(), text: from.text(), maybe: from.textOrNull(), amount: from.float() };
}

async function all<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  return (await Array.fromAsync(batches)).flat();
}

const numbers = (copy: Copy, count: number) =>
  copy(`select n, repeat('é', 500) from generate_series(1, ${count}) n`, (from) => from.integer());

test("whatever is in a table comes out as it was put in", async () => {
  const text = fc.string({ unit: "grapheme" }).map((any) => any.replaceAll("\0", "").toWellFormed());
  const rows = fc.array(
    fc.record({
      text: fc.oneof(text, fc.constantFrom("", "\\N", "\t\\.\n", "x".repeat(100_000))),
      maybe: fc.option(text),
      amount: fc.oneof(fc.double({ noNaN: true }), fc.maxSafeInteger()),
    }),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(rows, async (made) => {
      const put = made.map((row, line) => ({ line, ...row }));
      await sql`truncate copied`.execute(database.db);
      // As text: JSON has no infinite numbers, and no -0.
      const amounts = put.map(({ amount }) => (Object.is(amount, -0) ? "-0" : String(amount)));
      await sql`insert into copied select * from unnest(${put.map(({ line }) => line)}::integer[], ${put.map((row) => row.text)}::text[],
        ${put.map(({ maybe }) => maybe)}::text[], ${amounts}::float8[])`.execute(database.db);
      const copied = await inOneMoment(database.url, (copy) =>
        all(copy(`select ${columns} from copied order by line`, readRow)),
      );
      expect(copied).toEqual(put);
    }),
    { numRuns: 40 },
  );
});

test("in whatever pieces rows come, each is read once, when it is whole", async () => {
  const rows = [
    ["one", null],
    ["", "two"],
    ["é".repeat(200), "3"],
  ];
  const sent = copiedBytes(rows);
  fc.assert(
    fc.property(fc.array(fc.nat(sent.length), { maxLength: 30 }), (cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), sent.length];
      const rowsOf = readCopied((from) => [from.text(), from.textOrNull()]);
      const read = ends.flatMap((end, piece) => rowsOf(sent.subarray(ends[piece - 1] ?? 0, end)));
      expect(read).toEqual(rows);
    }),
  );
});

/** Rows of nullable texts as PostgreSQL's manual says that they are sent. */
function copiedBytes(rows: (string | null)[][]): Buffer {
  const number = (value: number, bytes: 2 | 4) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeIntBE(value, 0, bytes);
    return buffer;
  };
  const column = (text: string | null) => {
    if (text === null) return [number(-1, 4)];
    const bytes = Buffer.from(text);
    return [number(bytes.length, 4), bytes];
  };
  const header = [Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), number(0, 4), number(0, 4)];
  const body = rows.flatMap((row) => [number(row.length, 2), ...row.flatMap(column)]);
  return Buffer.concat([...header, ...body, number(-1, 2)]);
}

test("a null where none may be, and what are no copied rows, are errors", async () => {
  const nothing = inOneMoment(database.url, (copy) => all(copy("select null::text", (from) => from.text())));
  await expect(nothing).rejects.toThrow("A column is null");
  expect(() => readCopied((from) => from.text())(Buffer.from("SELECT 1, and so on and on"))).toThrow(TypeError);
});

test("all copies are of one moment, whatever is written meanwhile", async () => {
  await sql`truncate copied`.execute(database.db);
  const count = (copy: Copy) => all(copy("select count(*)::integer from copied", (from) => from.integer()));
  const counts = await inOneMoment(database.url, async (copy) => {
    const before = await count(copy);
    await sql`insert into copied (line) values (1)`.execute(database.db);
    return [before, await count(copy)];
  });
  expect(counts).toEqual([[0], [0]]);
  expect(await inOneMoment(database.url, count)).toEqual([1]);
});

test("what PostgreSQL refuses, at once or half-way, is told with its own words", async () => {
  const refused = inOneMoment(database.url, (copy) => all(copy("select * from nowhere", () => null)));
  await expect(refused).rejects.toThrow('relation "nowhere" does not exist');
  const halfWay = "select 1 / (20000 - n), repeat('x', 100) from generate_series(1, 30000) n";
  await expect(inOneMoment(database.url, (copy) => all(copy(halfWay, () => null)))).rejects.toThrow("division by zero");
});

test("a connection that is lost half-way is an error, not a list that ends early", async () => {
  const lost = inOneMoment(database.url, async (copy) => {
    let seen = 0;
    for await (const batch of numbers(copy, 1_000_000)) {
      if (seen === 0) await endCopies();
      seen += batch.length;
    }
    return seen;
  });
  await expect(lost).rejects.toThrow(/terminating connection|Connection terminated/);
});

test("whoever gives up half-way is told at once, and leaves no connection behind", async () => {
  const stopped = inOneMoment(database.url, async (copy) => {
    for await (const batch of numbers(copy, 1_000_000)) return batch[0];
  });
  await expect(stopped).rejects.toThrow("Connection terminated");
  const failed = inOneMoment(database.url, async (copy) => {
    for await (const batch of numbers(copy, 1_000_000)) throw new Error(`No use for ${batch[0]}`);
  });
  await expect(failed).rejects.toThrow("No use for 1");
  await expect.poll(countCopies).toBe(0);
});

async function endCopies(): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'front-row-copy'`.execute(database.db);
}

async function countCopies(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name = 'front-row-copy'`.execute(database.db);
  return rows[0]?.count ?? Number.NaN;
}
