import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import fc from "fast-check";
import { type Kysely, sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { exportLines } from "../../src/cli/backup/export.ts";
import { importLines } from "../../src/cli/backup/import.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { reportReasons } from "../../src/domain/report.ts";
import { interactions } from "../../src/domain/review.ts";
import { runAdmin, runAdminProcess } from "../support/admin.ts";
import { bareEnvironment } from "../support/environment.ts";
import { untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import {
  givenChanged,
  givenDeleted,
  givenIdentity,
  givenNone,
  givenReview,
  givenReviews,
  givenSession,
  givenShows,
  givenUser,
  givenUsers,
} from "../support/given.ts";
import { showId, userId } from "../support/programme.ts";
import { setUpDatabase, setUpFolder } from "../support/set-up.ts";
import { auditRows, cancelLockWaiters, countRows, expectTrueTallies } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

const [source, target] = [await setUpDatabase(), await setUpDatabase()];
const folder = await setUpFolder();
const file = path.join(folder, "reviews.jsonl");
const ids = [0, 1, 2, 3, 4, 5, 6, 7].map(userId);

beforeEach(async () => {
  for (const { db } of [source, target]) {
    await givenNone(db, "shows", "users", "audit");
    await givenShows(db, [0, 1, 2, 3].map((index) => ({ id: showId(index), listed: index > 0 }))); // biome-ignore format: one thought
  }
  await givenUsers(source.db, ids.map((id, index) => ({ id, email: `${index}@people.example` }))); // biome-ignore format: one thought
  await rm(file, { force: true });
});

/** All rows that an export contains, and the tallies, checked against a recount. */
async function readContents(db: Kysely<Schema>) {
  const tallies = await expectTrueTallies(db);
  const read = (table: string) =>
    sql`select to_jsonb(t) - '{note_id,hidden_at}'::text[] as row from ${sql.table(table)} t order by 1`.execute(
      db,
    );
  const [users, identities, reviews] = await Promise.all(["users", "identities", "reviews"].map(read));
  return { users: users?.rows, identities: identities?.rows, reviews: reviews?.rows, tallies };
}

const review = (user: number, overrides = {}) => ({
  show_id: showId(user % 4),
  user_id: userId(user),
  audience_interaction: "yes" as const,
  created_at: new Date(1_754_000_000_123 + user),
  ...overrides,
});

/** Inserts one user with every field set, and four reviews. */
async function fillSource(): Promise<void> {
  const { db } = source;
  await sql`
    update users set email = 'Wren "the bird"@people.example', email_confirmed_at = '2025-08-01T12:00:00.123456Z',
      last_sign_in_at = '2025-08-02T12:00:00.654321Z', banned_at = '2025-08-03T12:00:00.000001Z',
      quarantined_at = '2025-08-04T12:00:00.000002Z' where id = ${userId(0)}`.execute(db);
  for (const provider of ["google", "github"] as const) {
    const email_verified = provider === "google";
    await givenIdentity(db, { provider, subject: "12345", user_id: userId(0), email_verified });
  }
  const notes = 'Sit at\nthe "back"\t\\ 👩‍🎤\u2028é e\u0301 <script>\'; drop table users';
  await givenReviews(db, [review(0, { notes }), review(1), review(2, { hidden_rule: "abusive" }), review(5)]);
}

const exportTo = (name = file) => runAdmin(source, ["export", name]);
const importFrom = (name = file) => runAdmin(target, ["import", name]);
const succeeds = (out: string) => ({ exit: 0, out: `${out}\n`, err: "" });

describe("export", () => {
  test("writes a new file with a header, readable by its owner only, without sessions and keys", async () => {
    await fillSource();
    const key = Buffer.alloc(32, "secret");
    const session = await givenSession(source.db, { user_id: userId(0), refresh_key: key });
    expect(await exportTo()).toEqual(succeeds(`Exported 8 users and 4 reviews to ${file}.`));
    const text = await readFile(file, "utf8");
    const lines = text.split("\n");
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      ...{ front_row_export: 1, users: 8, reviews: 4 },
      exported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/),
    });
    expect(lines).toHaveLength(1 + 8 + 4 + 1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    for (const secret of [session, key.toString("hex")]) expect(text).not.toContain(secret);
  });

  test("refuses to overwrite a file, and reports a file that it cannot create", async () => {
    await writeFile(file, "precious");
    const err = `${file} is there already: name a file that is not.\n`;
    expect(await exportTo()).toEqual({ exit: 1, out: "", err });
    expect(await readFile(file, "utf8")).toBe("precious");
    const missingFolder = path.join(folder, "missing", "reviews.jsonl");
    const line = expect.stringMatching(/^The export could not be written: ENOENT.*\n$/);
    expect(await exportTo(missingFolder)).toEqual({ exit: 1, out: "", err: line });
  });
});

describe("import", () => {
  test("restores an export into an empty database, exactly, and changes nothing when repeated", async () => {
    await fillSource();
    await exportTo();
    expect(await importFrom()).toEqual(succeeds("Imported 8 users and 4 reviews."));
    expect(await readContents(target.db)).toEqual(await readContents(source.db));
    const audited = [{ action: "import", details: { users: 8, reviews: 4 } }];
    expect(await auditRows(target.db)).toEqual(audited);
    const again = "Imported 0 users and 0 reviews. Here already: 12 users and reviews.";
    expect(await importFrom()).toEqual(succeeds(again));
    expect(await readContents(target.db)).toEqual(await readContents(source.db));
    expect(await auditRows(target.db)).toEqual(audited);
  });

  test("of an export from before quarantine and hidden notes counts everything and hides nothing", async () => {
    await fillSource();
    await givenChanged(source.db, "users", { quarantined_at: null });
    await givenChanged(source.db, "reviews", { hidden_rule: null, counted: true });
    await exportTo();
    const older = (await readFile(file, "utf8")).replaceAll(/"(quarantined_at|hidden_rule)":null,?/g, "");
    await writeFile(file, older.replaceAll(",}", "}"));
    expect(await importFrom()).toEqual(succeeds("Imported 8 users and 4 reviews."));
    expect(await readContents(target.db)).toEqual(await readContents(source.db));
  });

  test("adds the missing records to a database that has others, from standard output to standard input", async () => {
    await fillSource();
    const { out: text, ...exported } = await runAdminProcess(source, ["export", "-"]);
    expect(exported).toEqual({ exit: 0, err: "Exported 8 users and 4 reviews to standard output.\n" });
    expect(text.split("\n").map((line) => line[0])).toEqual([..."{".repeat(13), undefined]);
    for (const user_id of [userId(1), userId(2)]) await givenDeleted(source.db, "reviews", { user_id });
    await givenDeleted(source.db, "users", { id: userId(0) });
    await givenUser(source.db);
    const out = "Imported 1 user and 3 reviews. Here already: 8 users and reviews.";
    expect(await runAdminProcess(source, ["import", "-"], text)).toEqual(succeeds(out));
    const tables = await countRows(source.db, ["users", "identities", "reviews"]);
    expect(tables).toEqual({ users: 9, identities: 2, reviews: 4 });
  });

  test("prints progress to standard error", async () => {
    const all = [...(await givenUsers(source.db, 1_500)), ...ids];
    await givenReviews(source.db, all.map((user_id) => ({ show_id: showId(1), user_id }))); // biome-ignore format: one thought
    expect((await runAdminProcess(source, ["export", file])).err).toMatch(
      /^(\d,\d{3} of 3,016 users and reviews exported\n){3}$/,
    );
    const { err, out } = await runAdminProcess(target, ["import", file]);
    expect(out).toBe("Imported 1,508 users and 1,508 reviews.\n");
    expect(err).toMatch(
      /^(\d,\d{3} of 3,016 users and reviews read\n){3}1,508 of 3,016 users and reviews stored\n3,016 of 3,016 users and reviews stored\n$/,
    );
    expect(await readContents(target.db)).toEqual(await readContents(source.db));
  });
});

test("exports and imports run without time limits", async () => {
  const isUnlimited = sql`current_setting('statement_timeout') = '0' and current_setting('idle_in_transaction_session_timeout') = '0'`;
  // Statements with a time limit see no users of the source, and store none in the target.
  await sql`alter table users rename to all_users;
    create view users as select * from all_users where ${isUnlimited}`.execute(source.db);
  await sql`create function skip_limited() returns trigger language plpgsql as $$
    begin if ${isUnlimited} then return new; end if; return null; end $$;
    create trigger skips before insert on users for each row execute function skip_limited()`.execute(
    target.db,
  );
  const exported = await exportTo();
  await sql`drop view users; alter table all_users rename to users`.execute(source.db);
  const imported = await importFrom();
  await sql`drop function skip_limited cascade`.execute(target.db);
  expect(exported.out).toContain("Exported 8 users");
  expect(imported.out).toContain("Imported 8 users");
});

test("an import that PostgreSQL cancels reports it in one line and changes nothing", async () => {
  await exportTo();
  const locker = await target.db.startTransaction().execute();
  await sql`lock table users in access exclusive mode`.execute(locker);
  const importing = runAdminProcess(target, ["import", file]);
  await expect.poll(() => cancelLockWaiters(target.db), { timeout: 30_000 }).toBe(1);
  expect(await importing).toEqual({
    exit: 1,
    out: "",
    err: "The database did not do it (canceling statement due to user request): nothing was changed.\n",
  });
  await locker.rollback().execute();
  expect(await readContents(target.db)).toMatchObject({ users: [], reviews: [] });
});

/** Any text that PostgreSQL can store. */
const text = (maxLength: number) =>
  fc
    .string({
      unit: fc.oneof(
        fc.constantFrom("\n", "\r", '"', "\\", "👩‍🎤", "\u2028", "'", "\u202e"),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ),
      minLength: 1,
      maxLength,
    })
    .filter((value) => !value.includes("\0"));

const timestamp = fc.date({ min: new Date("1971-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
const timestampWithMicroseconds = fc
  .tuple(timestamp, fc.nat(999))
  .map(([date, microseconds]) =>
    date.toISOString().replace("Z", `${String(microseconds).padStart(3, "0")}Z`),
  );

const optionally = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const accounts = fc.array(
  fc.record({
    email: text(30),
    confirmed: fc.boolean(),
    at: timestampWithMicroseconds,
    banned: optionally(timestampWithMicroseconds),
    quarantined: optionally(timestampWithMicroseconds),
    providers: fc.subarray(["google", "github"]),
    subject: text(10),
    reviews: fc.uniqueArray(
      fc.record({
        show_id: fc.nat(3).map(showId),
        audience_interaction: fc.constantFrom(...interactions),
        notes: optionally(text(200).filter((notes) => /[a-z0-9]/i.test(notes))),
        created_at: timestamp,
        hidden_rule: optionally(fc.constantFrom(...reportReasons)),
      }),
      { maxLength: 4, selector: ({ show_id }) => show_id },
    ),
  }),
  { maxLength: 12 },
);

type Account = typeof accounts extends fc.Arbitrary<(infer One)[]> ? One : never;

async function insertAccount(db: Kysely<Schema>, account: Account, index: number): Promise<void> {
  const { at, banned, quarantined } = account;
  const email = `${account.email}${index}`;
  const { rows } = await sql<{ id: string }>`
    insert into users (email, email_confirmed_at, last_sign_in_at, banned_at, quarantined_at, created_at)
    values (${email}, ${account.confirmed ? at : null}, ${at}, ${banned}, ${quarantined}, ${at}) returning id`.execute(
    db,
  );
  const id = rows[0]?.id ?? expect.fail();
  for (const provider of account.providers) {
    await sql`insert into identities (provider, subject, user_id, email, email_verified, created_at, last_sign_in_at)
      values (${provider}, ${account.subject + index}, ${id}, ${email}, ${account.confirmed}, ${at}, ${at})`.execute(
      db,
    );
  }
  for (const review of account.reviews) await givenReview(db, { ...review, user_id: id });
}

/** Cuts the lines into chunks of `size` bytes, as a stream might deliver them. */
async function* inChunks(lines: AsyncIterable<string>, size: number): AsyncGenerator<Uint8Array> {
  for await (const line of lines) {
    const bytes = Buffer.from(line);
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }
}

test("any export imports into equal rows, and a second import changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      accounts,
      fc.integer({ min: 50, max: 5_000 }),
      untilTimeLimit(async (generated, size) => {
        for (const { db } of [source, target]) await givenDeleted(db, "users");
        for (const [index, account] of generated.entries()) await insertAccount(source.db, account, index);
        const reviews = generated.flatMap((account) => account.reviews).length;
        const counts = { users: generated.length, reviews };
        const [ignore, { signal }] = [() => {}, new AbortController()];
        const transfer = () => {
          const bytes = inChunks(exportLines(source.db, ignore), size);
          return importLines(target.db, { bytes, signal, onRead: ignore, onStored: ignore });
        };
        expect(await transfer()).toEqual({ ...counts, unchanged: 0 });
        expect(await readContents(target.db)).toEqual(await readContents(source.db));
        expect(await transfer()).toEqual({ users: 0, reviews: 0, unchanged: counts.users + counts.reviews });
        expect(await readContents(target.db)).toEqual(await readContents(source.db));
      }),
    ),
    { numRuns: 8 },
  );
});

describe("an import changes nothing", () => {
  /** Lines 1 to 13: the header, users 0 to 7, and reviews of shows 0, 1, 1 and 2. */
  let lines: string[];

  beforeEach(async () => {
    await fillSource();
    lines = (await readText(Readable.from(exportLines(source.db, () => {})))).trimEnd().split("\n");
    const { created_at } = JSON.parse(lines[8] ?? "");
    await givenUser(target.db, { id: userId(7), email: "7@people.example", created_at });
  });

  async function expectRefused(content: string | Buffer, line: string): Promise<void> {
    const before = await readContents(target.db);
    await writeFile(file, content);
    expect(await importFrom()).toEqual({ exit: 1, out: "", err: `Nothing was imported${line}\n` });
    expect(await readContents(target.db)).toEqual(before);
    expect(await auditRows(target.db)).toEqual([]);
  }

  /** The file with one line changed; lines are counted from 1. */
  const changed = (number: number, change: (line: string) => string) =>
    lines.map((line, index) => `${index === number - 1 ? change(line) : line}\n`).join("");

  test("only if something is wrong: the unchanged file imports completely", async () => {
    await writeFile(file, changed(1, (line) => line)); // biome-ignore format: one thought
    const out = "Imported 7 users and 4 reviews. Here already: 1 user or review.";
    expect(await importFrom()).toEqual(succeeds(out));
  });

  test.each<[string, number, (line: string) => string, string]>([
    ["that is not JSON", 3, (line) => line.slice(1), ". Line 3 is malformed: Invalid input: expected object, received undefined."],
    ["with an empty line", 4, (line) => `\n${line}`, ". Line 4 is malformed: Invalid input: expected object, received undefined."],
    ["with a line of an unknown type", 4, () => '{"type":"session"}', ". Line 4 is malformed: type: Invalid discriminator value. Expected 'user' | 'review'."],
    ["with an unknown interaction", 11, (line) => line.replace('"yes"', '"maybe"'), '. Line 11 is malformed: audience_interaction: Invalid option: expected one of "no"|"very_little"|"yes".'],
    ["with an unknown field", 11, (line) => line.replace("{", '{"stars":5,'), '. Line 11 is malformed: Unrecognized key: "stars".'],
    ["with a missing field", 11, (line) => line.replace(/"notes":\w+,/, ""), ". Line 11 is malformed: notes: Invalid input: expected string, received undefined."],
    ["with notes over the length limit", 11, (line) => line.replace('"notes":null', `"notes":"${"🎭".repeat(501)}"`), ". Line 11 is malformed: notes: more than 1000 characters."],
    ["with NUL in a text", 11, (line) => line.replace('"notes":null', '"notes":"a\\u0000"'), ". Line 11 is malformed: notes: no plain text."],
    ["with a lone surrogate", 11, (line) => line.replace('"notes":null', '"notes":"\\ud83c"'), ". Line 11 is malformed: notes: no plain text."],
    ["with an impossible date", 11, (line) => line.replace(/"created_at":"[^T]+/, '"created_at":"2025-02-30'), ". Line 11 is malformed: created_at: Invalid ISO datetime."],
    ["about an unknown show", 11, (line) => line.replace(showId(1), "nowhere"), ". Line 11: there is no show nowhere."],
    ["by an unknown user", 11, (line) => line.replace(userId(1), userId(99)), `: insert or update on table "reviews" violates foreign key constraint "reviews_user_id_fkey". Key (user_id)=(${userId(99)}) is not present in table "users".`],
    ["with a duplicate review", 12, () => lines[10] ?? "", `. Line 12: ${userId(1)} ${showId(1)} was there on an earlier line already.`],
    ["with a duplicate user", 4, () => lines[2] ?? "", `. Line 4: ${userId(1)} was there on an earlier line already.`],
    ["with a duplicate e-mail", 4, (line) => line.replace(/"email":.*?"email_confirmed_at":null/, '"email":"wREN \\"the bird\\"@people.example","email_confirmed_at":"2025-08-01T12:00:00.123456Z"'), ': duplicate key value violates unique constraint "users_confirmed_email". Key (email_key(email))=(wren "the bird"@people.example) already exists.'],
    ["with a user who differs from the stored one", 9, (line) => line.replace("7@people", "seven@people"), `. Line 9: the user ${userId(7)} is here already, and differs.`],
    ["that is not an export", 1, () => '{"users":[]}', ". Line 1 is not the first line of an export of Front Row."],
    ["of another format version", 1, (line) => line.replace('export":1', 'export":2'), ". The export is of version 2; this program reads version 1."],
    ["with fewer reviews than its header says", 1, (line) => line.replace('"reviews":4', '"reviews":5'), ". The file is not whole: it should have 8 users and 5 reviews, and has 8 and 4."],
  ])("from a file %s", async (_case, number, change, line) => {
    await expectRefused(changed(number, change), line);
  }); // biome-ignore format: a table

  test("from a file that is empty, truncated, missing or not UTF-8", async () => {
    await expectRefused("", ". The file is empty.");
    const whole = changed(1, (line) => line);
    const malformed = ". Line 13 is malformed: Invalid input: expected object, received undefined.";
    await expectRefused(whole.slice(0, -10), malformed);
    const bytes = Buffer.concat([Buffer.from(`${lines[0]}\n`), Buffer.from([0xff, 0xfe]), Buffer.from("\n")]);
    await expectRefused(bytes, ". The file is not UTF-8.");
    const err = expect.stringMatching(/^The file could not be read: ENOENT.*\n$/);
    expect(await importFrom(path.join(folder, "nowhere.jsonl"))).toEqual({ exit: 1, out: "", err });
  });

  test("from a file whose review differs from the stored one", async () => {
    await givenReview(target.db, review(7, { show_id: showId(1) }));
    const line = JSON.stringify({ ...JSON.parse(lines[10] ?? ""), user_id: userId(7), notes: "other words" });
    await expectRefused(
      changed(11, () => line),
      `. Line 11: this user's review of the show ${showId(1)} is here already, and differs.`,
    );
  });

  test("from a file with a user whose identity belongs to another stored user", async () => {
    await givenUser(target.db, { id: userId(50) });
    await givenIdentity(target.db, { provider: "github", subject: "12345", user_id: userId(50) });
    await expectRefused(
      lines.join("\n"),
      ': duplicate key value violates unique constraint "identities_pkey". Key (provider, subject)=(github, 12345) already exists.',
    );
  });

  testRows<[NodeJS.Signals, number]>(1, [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("when %s interrupts it", async (signal, exit) => {
    const before = await readContents(target.db);
    const child = spawn(process.execPath, ["src/cli/admin.ts", "import", "-"], {
      env: { ...bareEnvironment(), DATABASE_URL: target.url },
    });
    const user = { ...JSON.parse(lines[1] ?? ""), email_confirmed_at: null, identities: [] };
    const users = Array.from({ length: 1000 }, () => JSON.stringify({ ...user, id: randomUUID() }));
    const header = { ...JSON.parse(lines[0] ?? ""), users: 2000 };
    child.stdin.write(`${[JSON.stringify(header), ...users].join("\n")}\n`);
    // The import has read half of the users, and waits for more.
    const [read] = await once(child.stderr.setEncoding("utf8"), "data");
    expect(read).toBe("1,000 of 2,004 users and reviews read\n");
    const rest = readText(child.stderr);
    child.kill(signal);
    expect((await once(child, "close"))[0]).toBe(exit);
    expect(await rest).toBe("Stopped; nothing was imported.\n");
    expect(await readContents(target.db)).toEqual(before);
  });
});
