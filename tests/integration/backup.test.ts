import { execFileSync, spawnSync } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { zstdDecompressSync } from "node:zlib";
import { sql } from "kysely";
import type pg from "pg";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { type Header, writeBackup } from "../../src/cli/backup/backup-file.ts";
import { findParts, migrationsTo, readSequences } from "../../src/cli/backup/tables.ts";
import { runCommand, type Site } from "../../src/cli/commands.ts";
import { recordBackup } from "../../src/database/backups-table.server.ts";
import { migrate, readMigrations } from "../../src/database/migrations/migrate.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { Db } from "../../src/database/schema.server.ts";
import { OperatorError } from "../../src/lib/error-message.ts";
import { runAdmin, runAdminProcess } from "../support/admin.ts";
import { captureOutput } from "../support/command-output.ts";
import { bareEnvironment } from "../support/environment.ts";
import { givenDeleted, givenReport, givenUser } from "../support/given.ts";
import { waitingJob } from "../support/job-queue.ts";
import { createOwnedDatabase, createTestDatabase } from "../support/postgres.ts";
import { runProgram } from "../support/program.ts";
import { setUpDatabase, setUpFolder } from "../support/set-up.ts";
import { cancelLockWaiters, countLockWaiters, expectTrueTallies } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

const source = await setUpDatabase();
const folder = await setUpFolder();
const newest = [...(await readMigrations()).keys()].at(-1) ?? "";
const file = path.join(folder, "site.backup");

/** Inserts rows into every table. A new table needs some, too. */
await sql
  .raw(`
  insert into shows (id, title, year, status, warnings, details) values
    ('s', E'Moths "\\\\N" \\\\\\\\ \\t\\n\\r é\\u2028👩‍🎤', 2025, 'active', '{Nudity,"a,b"}', '{"a": "\\\\n"}'), ('t', 'Unlisted', 2024, 'cancelled', null, '{}');
  insert into users (id, email, email_confirmed_at, quarantined_at, banned_at) select md5(n::text)::uuid, n || '@people.example',
    '2025-08-01T12:00:00.123456Z', case n when 3 then now() end, case n when 4 then now() end from generate_series(1, 5) n;
  insert into identities (provider, subject, user_id, email, email_verified)
    select 'google', n::text, md5(n::text)::uuid, 'x', true from generate_series(1, 5) n;
  insert into sessions (user_id, provider, refresh_key, expires_at)
    select id, 'google', decode(repeat('ab', 32), 'hex'), now() + interval '1 day' from users;
  insert into sign_ins (id, provider, challenge, callback_hash, expires_at) values ('i', 'google', '', '', now());
  insert into signing_keys (kid, private_key) values ('k', '{}');
  insert into reviews (show_id, user_id, audience_interaction, notes, hidden_rule)
    select 's', id, 'yes', E'\\\\.\\n' || email, case email when '2@people.example' then 'abusive' end from users;
  insert into deleted_reviews (user_id, show_id, created_at) select id, 't', now() from users limit 1;
  insert into deleted_accounts (hash, id, dismissed_reports) values (identity_hash('google', '8'), md5('8')::uuid, 1);
  insert into text_verdicts (user_id, hash, verdict) values (md5('8')::uuid, sha256('t'), 'keep');
  insert into banned_identities values (identity_hash('google', '9'), now());
  insert into review_limits values ('60:' || md5('1')::uuid, 1, 1);
  insert into review_closures (show_id) values ('t');
  insert into reports (show_id, author_id, note_id, rule, announced) select show_id, user_id, note_id, 'abusive', 'report' from reviews limit 2;
  delete from reports where id = 2;
  insert into report_reasons (report_id, note_id, reporter_id, reason) select id, note_id, md5('5')::uuid, 'abusive' from reports;
  insert into decisions (report_id, action) select id, 'hide' from reports;
  insert into queue_links (name, token_hash, expires_at) values ('Mo', sha256('x'), now());
  insert into announced_bursts default values;
  insert into audit (action, details) values ('ban-user', '{}');
  insert into refreshes (finished_at, outcome) values (now(), 'succeeded');
  insert into client_builds (id) values ('b');
  insert into client_files values ('b', 'a.js', 'x');
  insert into backups default values`)
  .execute(source.db);

/** Every row of every table, and the last numbers of sequences. */
async function contents(db: Db) {
  const tables = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = 'public' and tablename <> 'front_row_migrations' order by 1`.execute(db);
  const rows = tables.rows.map(async ({ name }) => {
    const all = await sql<{
      row: object;
    }>`select to_jsonb(t) as row from ${sql.table(name)} t order by t::text`.execute(db);
    return [name, all.rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

async function newSite(create = createTestDatabase) {
  const database = await create();
  onTestFinished(database.close);
  return database;
}

const backUp = async (...options: string[]) =>
  expect(await runAdmin(source, ["backup", file, ...options])).toMatchObject({ exit: 0, err: "" });

/** Restores the file into a new site. */
async function restoreNew(...options: string[]) {
  const target = await newSite();
  expect(await runAdmin(target, ["restore", file, ...options])).toMatchObject({ exit: 0, err: "" });
  return target;
}

/** Expects a reason in one line. */
async function expectRefused(target: Database, options: string[], reason: string): Promise<void> {
  const refused = await runAdmin(target, ["restore", file, ...options]);
  expect(refused).toEqual({ exit: 1, out: "", err: `Nothing was restored${reason}\n` });
}

/** At the end, expects the rows that the site has now. */
async function expectNoChange({ db }: Database, during: () => Promise<void>): Promise<void> {
  const before = await contents(db);
  await during();
  expect(await contents(db)).toEqual(before);
}

const ids = [1, 2, 3, 4, 5].map((n) =>
  createHash("md5")
    .update(String(n))
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
);

beforeEach(() => rm(file, { force: true }));

test("a backup has every row of every table, and a restore brings them into a new site", async () => {
  const before = await contents(source.db);
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
  const backedUp = await runAdmin(source, ["backup", file]);
  expect(backedUp).toEqual({ exit: 0, out: `Backed up 5 users and 5 reviews to ${file}.\n`, err: "" });
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const target = await newSite();
  await sql`insert into shows (id, title, year, status) values ('refreshed', 'Since', 2025, 'active')`.execute(
    target.db,
  );
  expect(await runAdmin(target, ["restore", file])).toEqual({
    exit: 0,
    out: expect.stringMatching(/^Restored 5 users and 5 reviews, as they were at .*Z\.\n$/),
    err: "",
  });
  const after = await contents(target.db);
  expect(after.audit?.pop()).toMatchObject({ id: 2, action: "restore" });
  const [reports, told] = [before.reports, after.reports];
  expect(told).toEqual(reports?.map((report) => ({ ...report, announced: null })));
  expect({ ...after, reports }).toEqual(before);
  expect(await waitingJob(target.db, "tell-operator")).toMatchObject({ attempts: 0 });

  // A backup of the restored site works, too: numbers continue, even after deleted rows, and triggers count.
  await rm(file);
  expect(await runAdmin(target, ["backup", file])).toMatchObject({ exit: 0 });
  const third = await restoreNew();
  await sql`delete from users where id = ${ids[4]}`.execute(third.db);
  const next = await givenReport(third.db, { show_id: "s", author_id: ids[0] ?? "" });
  expect(next).toBe("3");
  expect(await runAdmin(third, ["queue-link", "Bo"])).toMatchObject({ exit: 0 });
  expect(await expectTrueTallies(third.db)).toMatchObject([{ show_id: "s", yes: 3 }]);
});

test("without sessions, it has nothing with which a reader could sign in; it can go to standard output", async () => {
  // Enough rows for progress on a terminal.
  const many = sql`insert into announced_bursts select now() + n * interval '1 day' from generate_series(1, 1000) n`;
  await many.execute(source.db);
  onTestFinished(() => sql`delete from announced_bursts where at > now()`.execute(source.db).then(() => {}));
  const key = "abababab";
  const write = `${process.execPath} build/server/admin.js backup - $OPTION 2>&1 > ${file}`;
  const read = async (OPTION: string) => {
    const env = { ...bareEnvironment(), DATABASE_URL: source.url, OPTION };
    const err = execFileSync("sh", ["-c", write], { env, encoding: "utf8" });
    expect(err).toBe("Backed up 5 users and 5 reviews to standard output.\n");
    return zstdDecompressSync(await readFile(file)).toString();
  };
  expect(await read("")).toContain(key);
  expect(await read("--without-sessions")).not.toContain(key);
  const { users, sessions, sign_ins, signing_keys } = await contents((await restoreNew()).db);
  expect([users?.length, sessions, sign_ins, signing_keys]).toEqual([5, [], [], []]);
});

test("it is one snapshot of a site in use", async () => {
  const locker = await source.db.startTransaction().execute();
  await sql`lock table tallies`.execute(locker);
  const backingUp = runAdmin(source, ["backup", file]);
  await expect.poll(() => countLockWaiters(source.db)).toBe(1);
  await sql`insert into reviews (show_id, user_id, audience_interaction) values ('t', ${ids[0]}, 'no')`.execute(
    locker,
  );
  await locker.commit().execute();
  expect(await backingUp).toMatchObject({ exit: 0, err: "" });
  await givenDeleted(source.db, "reviews", { show_id: "t" });
  const { db } = await restoreNew();
  expect(await expectTrueTallies(db)).toMatchObject([{ show_id: "s", yes: 4, no: 0 }]);
});

test("it overwrites nothing, and leaves no file when it fails or is stopped", async () => {
  await writeFile(file, "precious");
  const taken = { exit: 1, out: "", err: `${file} is there already: name a file that is not.\n` };
  expect(await runAdmin(source, ["backup", file])).toEqual(taken);
  expect(await readFile(file, "utf8")).toBe("precious");
  await rm(file);
  await symlink(path.join(folder, "none"), file);
  expect(await runAdmin(source, ["backup", file])).toEqual(taken);
  await rm(file);
  await writeFile(`${file}.part`, "");
  const err = `${file}.part is there already: another backup writes it, or one was killed. If none runs, delete it.\n`;
  expect(await runAdmin(source, ["backup", file])).toEqual({ exit: 1, out: "", err });
  await rm(`${file}.part`);
  const missing = await runAdmin(source, ["backup", path.join(folder, "none", "site.backup")]);
  expect(missing).toEqual({
    exit: 1,
    out: "",
    err: expect.stringMatching(/^The backup could not be .*ENOENT.*\n$/),
  });

  const unnamed = { exit: 1, out: "", err: "Name a file, or - for standard output.\n" };
  expect(await runAdmin(source, ["backup", ""])).toEqual(unnamed);
  await sql`delete from backups`.execute(source.db);
  const env = { ...bareEnvironment(), DATABASE_URL: source.url };
  const toNowhere = `${process.execPath} build/server/admin.js backup - >&-`;
  const { status, stderr } = spawnSync("sh", ["-c", toNowhere], { env, encoding: "utf8" });
  const nowhere = "Standard output is a terminal, /dev/null or closed: use a file or a pipe.\n";
  expect([status, stderr]).toEqual([1, nowhere]);
  expect(await source.db.selectFrom("backups").selectAll().execute()).toEqual([]);
  await recordBackup(source.db);

  const locker = await source.db.startTransaction().execute();
  await sql`lock table tallies`.execute(locker);
  const cancelled = runAdmin(source, ["backup", file]);
  await expect.poll(() => cancelLockWaiters(source.db)).toBe(1);
  const reason = "canceling statement due to user request";
  const line = `The database did not do it (${reason}): nothing was changed.\n`;
  expect(await cancelled).toEqual({ exit: 1, out: "", err: line });
  for (const [signal, exit, waiting] of [
    ["SIGINT", 130, 1],
    ["SIGHUP", 129, 2],
  ] as const) {
    const backingUp = runProgram("build/server/admin.js", ["backup", file], env);
    await expect.poll(() => countLockWaiters(source.db), { timeout: 30_000 }).toBe(waiting);
    backingUp.process.kill(signal);
    expect([await backingUp.exited, backingUp.output()]).toEqual([exit, "Stopped; there is no backup.\n"]);
  }
  await locker.rollback().execute();
  expect(await readdir(folder)).toEqual([]);
});

testRows<[NodeJS.Signals, number | NodeJS.Signals]>(2, [
  ["SIGKILL", "SIGKILL"],
  ["SIGINT", 130],
])("a restore that %s ends when all rows are in leaves the site as it was", async (signal, exit) => {
  await backUp();
  const target = await newSite();
  const before = await contents(target.db);
  const locker = await target.db.startTransaction().execute();
  await sql`lock table graphile_worker._private_jobs`.execute(locker);
  const restoring = runProgram("build/server/admin.js", ["restore", file], {
    ...bareEnvironment(),
    DATABASE_URL: target.url,
  });
  await expect.poll(() => countLockWaiters(target.db), { timeout: 30_000 }).toBe(1);
  restoring.process.kill(signal);
  expect(await restoring.exited).toBe(exit);
  if (signal === "SIGINT") expect(restoring.output()).toBe("Stopped; nothing was restored.\n");
  await locker.rollback().execute();
  expect(await contents(target.db)).toEqual(before);
  expect(await runAdmin(target, ["restore", file])).toMatchObject({ exit: 0 });
});

test("a restore that fails for any reason says that nothing was restored, or that it is not known", async () => {
  await backUp();
  const target = await newSite();
  const pool = (onCall: (text: unknown, client: pg.PoolClient) => unknown) => ({
    pool: Object.assign(Object.create(target.pool), {
      async connect() {
        const client = await target.pool.connect();
        const query = client.query.bind(client) as (...args: unknown[]) => unknown;
        return Object.assign(Object.create(client), {
          query: (...args: unknown[]) => onCall(args[0], client) ?? query(...args),
        });
      },
    }),
  });
  const endSession = (client: pg.PoolClient) =>
    target.pool.query("select pg_terminate_backend($1)", [Reflect.get(client, "processID")]);
  const failure = async (site: object) =>
    (
      await captureOutput(() =>
        runCommand(["restore", file], (task) => task({ ...target, ...site } as unknown as Site)),
      )
    ).err;
  const at = (text: RegExp, act: (client: pg.PoolClient) => unknown) =>
    pool((sent, client) => (text.test(String(sent)) ? act(client) : undefined));
  const broken = (error: Error) => () => Promise.reject(error);
  await expectNoChange(target, async () => {
    // The server's message may come before the end of the connection is noticed, or after.
    expect(
      await failure(at(/^truncate/, (client) => endSession(client).then(() => client.query("select")))),
    ).toMatch(/^Nothing was restored(: terminating connection|\. The database is unavailable: )[^\n]*\n$/);
    for (const message of ["Connection terminated unexpectedly", "timeout expired"])
      expect(await failure(at(/setval/, broken(new Error(message))))).toBe(
        `Nothing was restored. The database is unavailable: ${message}\n`,
      );
    expect(
      await failure(at(/^truncate/, (client) => client.query("select 1 / 0 from users_of_another"))),
    ).toMatch(/^Nothing was restored: relation .* does not exist\.\n$/);
    const lost = at(/^commit$/, (client) => void Reflect.get(client, "connection").stream.destroy());
    expect(await failure(lost)).toMatch(/^It is not known whether the backup was restored\. [^\n]*\n$/);
  });
  for (const error of [new OperatorError("The database cannot be used."), new Error("timeout expired")]) {
    const { exit, err } = await captureOutput(() => runCommand(["restore", file], broken(error)));
    expect([exit, err]).toEqual([1, expect.stringMatching(/^Nothing was restored\. The database [^\n]*\n$/)]);
  }
});

test("--except-users deletes users again, by ids or by lines of the log, and refuses a file without any", async () => {
  await backUp();
  const list = path.join(folder, "deleted");
  onTestFinished(() => rm(list, { force: true }));
  const deletion = (user_id: string) => JSON.stringify({ level: 30, event: "account_deleted", user_id });
  // Like by `journalctl -o json` and by Docker.
  const wrapped = [
    { MESSAGE: deletion(ids[0] ?? ""), PRIORITY: "6" },
    { MESSAGE: '{"event":"sign_in"}' },
    { stream: "stdout", log: `${deletion(ids[2] ?? "")}\n` },
    { MESSAGE: JSON.stringify({ attrs: {}, log: `${deletion(randomUUID())}\n` }) },
  ];
  for (const text of [
    `${ids[0]}\n\n${ids[2]?.toUpperCase()}\n${randomUUID()}\n`,
    `Aug 04 04:00 host front-row[1]: ${deletion(ids[0] ?? "")}\n{"event":"sign_in","user_id":"${ids[1]}"}\n{"msg":"x"}\n${deletion(ids[2] ?? "")}\n${deletion(randomUUID())}`,
    wrapped.map((line) => JSON.stringify(line)).join("\n"),
  ]) {
    await writeFile(list, text);
    const target = await newSite();
    const restored = await runAdmin(target, ["restore", file, "--except-users", list]);
    expect(restored).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/\nOf 3 deleted users, 2 were in it\.\n$/),
    });
    const { audit, ...kept } = await contents(target.db);
    expect([kept.users?.length, kept.sessions?.length, kept.identities?.length]).toEqual([3, 3, 3]);
    for (const theirs of [ids[0], "1@people.example"]) expect(JSON.stringify(kept)).not.toContain(theirs);
    expect(audit?.slice(1)).toMatchObject([
      { action: "delete-user" },
      { action: "delete-user" },
      { details: { deleted: 2 } },
    ]);
    // The third was in quarantine.
    expect(await expectTrueTallies(target.db)).toMatchObject([{ show_id: "s", yes: 3 }]);
  }
  const target = await newSite();
  const none = `. ${list} names no deleted user. If there is none, leave out --except-users.`;
  const noId = (line: number) =>
    `. Line ${line} of ${list} is neither the id of a user nor a whole line of the site's log.`;
  const lists = [
    ["", none],
    ['{"event":"sign_in"}\n', none],
    [`${ids[0]}\n${ids[1]?.slice(1)}\n`, noId(2)],
    ['{"event":"account_deleted","user_id":"wren"}\n', noId(1)],
    [`${ids[0]}\n{"MESSAGE":"{\\"event\\":\\"account_deleted\\",\\"us"}\n`, noId(2)],
    ['{"MESSAGE":"{\\"event\\":\\"account_deleted\\"}"}\n', noId(1)],
    ["Started front-row.service", noId(1)],
  ] as const;
  await expectNoChange(target, async () => {
    for (const [text, reason] of lists) {
      await writeFile(list, text);
      await expectRefused(target, ["--except-users", list], reason);
    }
  });
});

const isNone = ". The file is no backup of Front Row.";
const isDamaged = ". The file is damaged, or was cut off: take another backup.";

test("a file with any byte changed, a part of one, and one that is no backup are refused", async () => {
  await backUp();
  const whole = await readFile(file);
  const target = await newSite();
  const isUnchanged = (changed: Buffer) => {
    try {
      return zstdDecompressSync(changed).equals(zstdDecompressSync(whole));
    } catch {
      return false;
    }
  };
  await expectNoChange(target, async () => {
    for (let at = 0; at < whole.length; at += at > whole.length - 8 ? 1 : 53) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      // A few bits mean nothing to zstd.
      if (isUnchanged(changed)) continue;
      await writeFile(file, changed);
      await expectRefused(target, [], at < 4 ? isNone : isDamaged);
    }
    for (const length of [whole.length - 1, whole.length - 4, 1_000, 0]) {
      await writeFile(file, whole.subarray(0, length));
      await expectRefused(target, [], isDamaged);
    }
    for (const content of ['{"front_row_export":1}\n', randomBytes(1_000)]) {
      await writeFile(file, content);
      await expectRefused(target, [], isNone);
    }
  });
  const unread = ". The file could not be read: ";
  await writeFile(file, whole);
  const missing = await runAdmin(target, ["restore", `${file}.none`]);
  expect(missing.err).toMatch(new RegExp(`^Nothing was restored${unread}ENOENT.*\\n$`));
  const input = ". It is read from a file, not from standard input: name one.\n";
  expect((await runAdmin(target, ["restore", "-"])).err).toBe(`Nothing was restored${input}`);
  await givenUser(target.db);
  const hasUsers = ". The site has users: a backup is restored into a new one.";
  await expectNoChange(target, () => expectRefused(target, [], hasUsers));
});

/** Changes of header and rows by an attacker who computes the checksum. */
const forgeries: [reason: string, changes: Partial<Header>, rows?: string][] = [
  [". This version of Front Row does not know the schema 9999_later: take the version that has it.", { schema: "9999_later" }],
  [". This version of Front Row does not know the schema 0000_\\u{1b}: take the version that has it.", { schema: "0000_\u{1b}" }],
  [`. The backup does not fit its schema ${newest}: announced_bursts differs.`, { tables: [] }],
  [`. The backup does not fit its schema ${newest}: announced_bursts differs.`, { tables: [{ name: "announced_bursts", columns: ["at", "at) from program 'true' --"], rows: 1 }] }],
  [`. The backup does not fit its schema ${newest}: audit_id_seq differs.`, { sequences: {} }],
  [isDamaged, { sequences: { "audit_id_seq restart with 1": "1; drop table users" } }],
  [isDamaged, { created_at: "x".repeat(2 ** 20) }],
  [isDamaged, {}, ""],
  [isDamaged, {}, "2025-08-01\n2025-08-02\n"],
  [isDamaged, {}, "\\.\n"],
  [': invalid input syntax for type timestamp with time zone: "\\u{202e}".', {}, "\u202e\n"],
]; // biome-ignore format: a table

test("a forged file does no harm", async () => {
  const target = await newSite();
  const { tables, sequences } = await source.db.transaction().execute(async (trx) => {
    const parts = await findParts(trx, await migrationsTo(newest));
    return { ...parts, sequences: await readSequences(trx, parts.sequences) };
  });
  const header = {
    schema: newest,
    created_at: new Date().toISOString(),
    tables: tables.map((table) => ({ ...table, rows: Number(table.name === "announced_bursts") })),
    sequences,
  };
  const options = { signal: new AbortController().signal, end: true };
  await expectNoChange(target, async () => {
    for (const [reason, changes, rows = "2025-08-01\n"] of forgeries) {
      const content = Readable.from([Buffer.from(rows)]);
      await writeBackup({ ...header, ...changes }, content, createWriteStream(file), options);
      await expectRefused(target, [], reason);
    }
  });
});

test("tables of the operator are in no backup, and a restore does not change them", async () => {
  const target = await newSite();
  const create = sql`create table my_notes as select repeat('x', 70_000_000) as note; create table nothing ();
    create sequence negative increment -1; create sequence long start 1234567890123456789;
    select nextval('negative'), nextval('long'); create function mine() returns int return 1`;
  for (const { db } of [source, target]) await create.execute(db);
  const drop = sql`drop table my_notes, nothing; drop sequence negative, long; drop function mine`;
  onTestFinished(() => drop.execute(source.db).then(() => {}));
  await backUp();
  expect(await runAdmin(target, ["restore", file])).toMatchObject({ exit: 0, err: "" });
  const kept = sql`select count(*)::int, mine(), nextval('negative') from my_notes`;
  const { rows } = await kept.execute(target.db);
  expect(rows).toEqual([{ count: 1, mine: 1, nextval: "-2" }]);
});

test("a role that may not read every row gets no backup", async () => {
  const owned = await createOwnedDatabase("backs_up");
  onTestFinished(owned.close);
  await migrate(owned.url);
  const expectFailure = async (reason: string, change: string) => {
    await sql.raw(change).execute(owned.database.db);
    const err = `The backup failed: ${reason}.\n`;
    expect(await runAdminProcess({ url: owned.url }, ["backup", file])).toEqual({ exit: 1, out: "", err });
  };
  await expectFailure("permission denied for table reports", "alter table reports owner to current_user");
  const secured = "grant select on reports to backs_up; alter table reports enable row level security";
  await expectFailure('query would be affected by row-level security policy for table "reports"', secured);
  const dropped = "drop table review_closures; alter table reports disable row level security";
  await expectFailure('relation "review_closures" does not exist', dropped);
  expect(await owned.database.db.selectFrom("backups").selectAll().execute()).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});
