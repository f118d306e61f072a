import { afterAll, expect, test } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import { openAccountsSite, refreshTokens, signIn } from "../support/accounts.ts";
import { runAdminProcess } from "../support/admin.ts";
import { operationsGuide } from "../support/operations-guide.ts";
import { query, startTestPostgres } from "../support/postgres-server.ts";
import { readFirstPage } from "../support/read-list.ts";
import { festivalSettings, startSmallFestival } from "../support/refreshes.ts";
import { openTestSite } from "../support/set-up.ts";
import { openSite } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";

const statements =
  operationsGuide
    .match(/```sql\n([^`]*)```/)?.[1]
    ?.split(";")
    .map((text) => text.trim())
    .filter(Boolean) ?? [];

const stepFive =
  /\*\*5\. The database\.\*\*[^`]*`apt upgrade`\.\n\n```sh\n([^`]*)\n```/
    .exec(operationsGuide)?.[1]
    ?.split("\n") ?? [];

async function runAll(url: string, ...statements: string[]): Promise<void> {
  for (const statement of statements) await query(url, statement);
}

const server = await startTestPostgres();
afterAll(server.stop);

const urlOf = (name: string, username = name) =>
  Object.assign(new URL(server.url), { username, password: "choose-another", pathname: `/${name}` }).href;
const superuserUrl = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href;

await runAll(server.url, ...statements, "create table secrets as select 'of another user' as secret");
const url = urlOf("frontrow");
const { fake: festival } = await startSmallFestival();
afterAll(festival.close);
const accountsSite = await openAccountsSite({ DATABASE_URL: url, ...festivalSettings(festival) });
afterAll(accountsSite.close);

test("with the documented role, the site migrates, refreshes, signs in, stores reviews and gets notifications", async () => {
  const { site } = accountsSite;
  await expect.poll(async () => (await readFirstPage(site)).length, { timeout: 30_000 }).toBe(20);
  const wren = await signIn(site.origin, "google", { email: "wren@people.example" });
  expect((await refreshTokens(site.origin, wren.refresh_token)).status).toBe(200);
  const show_id = (await readFirstPage(site))[5]?.id ?? "";
  const reviewer = { id: wren.user.id, token: wren.access_token };
  const sent = await sendReview(site.origin, reviewer, { show_id, audience_interaction: "yes" });
  expect(sent.status).toBe(200);
  await expect
    .poll(async () => (await readFirstPage(site))[0], { timeout: 5_000 })
    .toMatchObject({ id: show_id, reviews: { yes: 1 } });
  expect(site.log.filter((line) => /"level":(40|50)/.test(line))).toEqual([]);
  const { out, err } = await runAdminProcess({ url }, ["status", "--json"]);
  expect([JSON.parse(out).has_reviews, err]).toEqual([true, "1 thing waits for you.\n"]);
});

test("the operator's page sets up a database in six lines, and the site runs on it", async () => {
  expect(stepFive).toHaveLength(6);
  const renamed = stepFive.map((line) => line.replaceAll("frontrow", "five_lines"));
  for (const line of renamed) {
    const statement = /^sudo -u postgres psql -c (["'])(.*)\1$/.exec(line)?.[2];
    if (statement) await query(server.url, statement);
  }
  const written = /DATABASE_URL=(\S+)'/.exec(renamed.at(-1) ?? "")?.[1] ?? "";
  const own = Object.assign(new URL(written), { port: new URL(server.url).port }).href;
  const site = await openTestSite({ DATABASE_URL: own });
  expect(await (await fetch(`${site.origin}/readyz`)).json()).toMatchObject({ ready: true, database: "up" });
  const rights =
    "select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as more from pg_roles where rolname = current_user";
  expect(await query(own, rights)).toEqual([{ more: false }]);
  expect(await query(own, "show server_encoding")).toEqual([{ server_encoding: "UTF8" }]);
  expect(await query(own, "show log_error_verbosity")).toEqual([{ log_error_verbosity: "terse" }]);
  const refusal = "permission denied for database";
  await expect(query(urlOf("five_lines", "frontrow"), "select 1")).rejects.toThrow(refusal);
  // For the security notices that the page names.
  const metrics = await (await fetch(`${site.origin}/metrics`)).text();
  const [, node, server_version] = /node="([^"]+)",postgresql="([^"]+)"/.exec(metrics) ?? [];
  expect(node).toBe(process.versions.node);
  expect(await query(own, "show server_version")).toEqual([{ server_version }]);
  for (const address of ["postgresql.org/support/security", "nodejs.org/en/blog/vulnerability"])
    expect(operationsGuide).toContain(address);
});

test("the role can neither use files and programs, nor change the server, nor read other databases", async () => {
  const denial = "permission denied";
  const refusal = /permission denied|not available|must be|Only roles/;
  for (const statement of [
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
  ])
    await expect(query(url, statement), statement).rejects.toThrow(refusal);
  for (const name of ["postgres", "template1"])
    await expect(query(urlOf(name, "frontrow"), "select * from secrets"), name).rejects.toThrow(denial);
});

async function createForeignDatabase(name: string, statements: readonly string[]): Promise<string> {
  const role = `create role ${name} login password 'choose-another'`;
  await runAll(server.url, role, `create database ${name} encoding 'UTF8' template template0`);
  await runAll(superuserUrl(name), ...statements);
  return urlOf(name);
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
])("a role without a right to tables or queue (%s) is refused in one line", async (name, sql, problem) => {
  const roleUrl = await createForeignDatabase(name, sql);
  const refusal = expect.objectContaining({ message: expect.stringMatching(`^.*${problem}${owned}`) });
  await expect(openSite({ DATABASE_URL: roleUrl })).rejects.toEqual(refusal);
});

test("tables that another role owns are refused in one line, by commands too", async () => {
  const url = await createForeignDatabase("clerk", ["grant create on schema public to clerk"]);
  await migrate(superuserUrl("clerk"));
  const { exit, err } = await runAdminProcess({ url }, ["newest-notes"]);
  expect([exit, err.trim()]).toEqual([1, expect.stringMatching(`permission denied for table .*${owned}`)]);
});
