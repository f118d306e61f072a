import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { sendReview } from "../../dev/harness/reviewers.ts";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import {
  type AccountsSite,
  openAccountsSite,
  refreshTokens,
  type SessionResponse,
  signIn,
} from "../support/accounts.ts";
import { runAdminProcess } from "../support/admin.ts";
import { startTestPostgres, type TestPostgres } from "../support/postgres-server.ts";
import { festivalSettings, startSmallFestival } from "../support/refreshes.ts";
import { openSite } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";

const operationsGuide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");

/** The statements in docs/operations.md that create the database and its role. */
const statements = operationsGuide.match(/```sql\n([^`]*)```/)?.[1]?.split(";").map((text) => text.trim()).filter(Boolean) ?? []; // biome-ignore format: one thought

async function run(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

let server: TestPostgres;
let festival: FakeFestivalApi;
let accountsSite: AccountsSite;
let wren: SessionResponse;
/** The URL of the database with the role of docs/operations.md. */
let url: string;

beforeAll(async () => {
  server = await startTestPostgres();
  await run(server.url, ...statements, "create table secrets as select 'of another user' as secret");
  const role = { username: "frontrow", password: "choose-another", pathname: "/frontrow" };
  url = Object.assign(new URL(server.url), role).href;
  ({ fake: festival } = await startSmallFestival());
  accountsSite = await openAccountsSite({
    DATABASE_URL: url,
    ...festivalSettings(festival),
  });
});
afterAll(async () => {
  await accountsSite.close();
  await festival.close();
  await server.stop();
});

test("with the documented role, the site migrates, refreshes, signs in, stores reviews and gets notifications", async () => {
  const { site } = accountsSite;
  const list = async () => (await site.api("/api/shows")).json();
  await expect.poll(async () => (await list()).total, { timeout: 30_000 }).toBeGreaterThan(200);
  wren = await signIn(site.origin, "google", { email: "wren@people.example" });
  expect((await refreshTokens(site.origin, wren.refresh_token)).status).toBe(200);
  const show_id: string = (await list()).shows[5].id;
  const reviewer = { id: wren.user.id, token: wren.access_token };
  expect((await sendReview(site.origin, reviewer, { show_id, audience_interaction: "yes" })).status).toBe(
    200,
  );
  await expect
    .poll(async () => (await list()).shows[0], { timeout: 5_000 })
    .toMatchObject({ id: show_id, reviews: { yes: 1 } });
  expect(site.log.filter((line) => /"level":(40|50)/.test(line))).toEqual([]);
});

test.each([
  "select pg_read_file('/etc/passwd')",
  "select pg_ls_dir('.')",
  "select lo_import('/etc/passwd')",
  "copy (select 1) to program 'true'",
  "copy (select 1) to '/tmp/front-row-was-here'",
  "select * from pg_authid",
  "create role another",
  "create database another",
  "alter role frontrow superuser",
  "alter system set fsync = off",
  "create extension file_fdw",
])("the role cannot run: %s", async (statement) => {
  await expect(run(url, statement)).rejects.toThrow(/permission denied|not available|must be|Only roles/);
});

/** Creates a database of the superuser's for a role that may create tables in it. */
async function createForeignDatabase(name: string, statements: string[]): Promise<string> {
  const role = `create role ${name} login password 'choose-another'`;
  await run(server.url, role, `create database ${name} encoding 'UTF8' template template0`);
  const other = Object.assign(new URL(server.url), { pathname: `/${name}` });
  await run(other.href, ...statements);
  return Object.assign(other, { username: name, password: "choose-another" }).href;
}

const owned = "\\. Make this role the owner of the database and of all that is in it$";
testRows<[string, string[], string]>(2, [
  ["guest", ["grant create on schema public to guest"], "permission denied for database guest"],
  [
    "heir",
    ["grant create on schema public to heir", "create schema graphile_worker"],
    "permission denied for schema graphile_worker",
  ],
  ["stranger", ["grant create on database stranger to stranger"], "permission denied for schema public"],
  ["nomad", ["alter role nomad set search_path = nowhere"], "no schema has been selected to create in"],
])(
  "a role that may not have its tables, or the job queue's schema (%s), is refused at the start in one line",
  async (name, statements, problem) => {
    const roleUrl = await createForeignDatabase(name, statements);
    const refusal = expect.objectContaining({ message: expect.stringMatching(`^.*${problem}${owned}`) });
    await expect(openSite({ DATABASE_URL: roleUrl })).rejects.toEqual(refusal);
  },
);

test("with the right to create and no other, the site starts, and so do its commands", async () => {
  const statements = [
    "revoke all on database lodger from public",
    "grant connect, create on database lodger to lodger",
    "revoke all on schema public from public",
    "grant usage, create on schema public to lodger",
  ];
  const lodging = { url: await createForeignDatabase("lodger", statements) };
  const site = await openSite({ DATABASE_URL: lodging.url });
  expect((await site.api("/api/shows")).status).toBe(200);
  await site.stop();
  const { out: copy } = await runAdminProcess(lodging, ["export", "-"]);
  for (const [args, input] of [
    [["import", "-"], copy],
    [["suspicious"], ""],
    [["reports"], ""],
  ] as const) {
    const ran = await runAdminProcess(lodging, args, input);
    expect([args, ran.err, ran.exit]).toEqual([args, expect.not.stringMatching(/denied|^\s+at /m), 0]);
  }
});

test("tables that another role owns are refused in one line, by commands too", async () => {
  const url = await createForeignDatabase("clerk", ["grant create on schema public to clerk"]);
  await migrate(Object.assign(new URL(server.url), { pathname: "/clerk" }).href);
  const { exit, err } = await runAdminProcess({ url }, ["reports"]);
  expect([exit, err.trim()]).toEqual([1, expect.stringMatching(`permission denied for table .*${owned}`)]);
});

test.each(["postgres", "template1", "front_row"])("the role cannot read the database %s", async (name) => {
  const other = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  await expect(run(other, "select * from secrets")).rejects.toThrow(/permission denied/);
});
