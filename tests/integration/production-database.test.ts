import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestPostgres, type TestPostgres } from "../support/postgres-server.ts";
import { openSite, type Site } from "../support/site.ts";

const operationsGuide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");

/** The lines of docs/operations.md, step 5, which set up the distribution's PostgreSQL. */
const lines = /\*\*5\. The database\.\*\*[^`]*`apt upgrade`\.\n\n```sh\n([^`]*)\n```/
  .exec(operationsGuide)?.[1]
  ?.split("\n");

let server: TestPostgres;
/** The URL of step 5, with the port of the test's server. */
let url: string;
let site: Site;

beforeAll(async () => {
  server = await startTestPostgres();
  const superuser = new pg.Client({ connectionString: server.url });
  await superuser.connect();
  for (const line of lines ?? []) {
    const statement = /^sudo -u postgres psql -c (["'])(.*)\1$/.exec(line)?.[2];
    if (statement) await superuser.query(statement);
  }
  await superuser.query("create role stranger login password 'stranger'");
  await superuser.end();
  const written = /DATABASE_URL=(\S+)'/.exec(lines?.at(-1) ?? "")?.[1] ?? "";
  url = Object.assign(new URL(written), { port: new URL(server.url).port }).href;
  site = await openSite({ DATABASE_URL: url });
});
afterAll(async () => {
  await site.stop();
  await server.stop();
});

async function query<Row extends pg.QueryResultRow>(
  connectionString: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return (await client.query<Row>(statement).finally(() => client.end())).rows;
}

test("the operator's page sets up a database in five lines, and the site runs on it", async () => {
  expect(lines).toHaveLength(5);
  const response = await fetch(`${site.origin}/readyz`);
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 200,
    body: { ready: true, database: "up" },
  });
});

test("the role owns that database, in UTF-8, and has no other right", async () => {
  const role = "select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles";
  expect(await query(url, `${role} where rolname = current_user`)).toEqual([
    { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: false, rolbypassrls: false },
  ]);
  expect(await query(url, "select current_setting('server_encoding') as encoding")).toEqual([
    { encoding: "UTF8" },
  ]);
  await expect(query(url, "create database another")).rejects.toThrow(/permission denied/);
  await expect(query(url, "copy shows to '/tmp/shows'")).rejects.toThrow(/permission denied/);
});

test("other roles may not connect to it", async () => {
  const stranger = Object.assign(new URL(url), { username: "stranger", password: "stranger" }).href;
  await expect(query(stranger, "select 1")).rejects.toThrow(/permission denied for database/);
});

test("the metrics name the versions of PostgreSQL and Node, for the security notices that the page links to", async () => {
  const metrics = await (await fetch(`${site.origin}/metrics`)).text();
  const [row] = await query<{ server_version: string }>(url, "show server_version");
  expect(metrics).toContain(`node="${process.versions.node}",postgresql="${row?.server_version}"`);
  for (const address of ["postgresql.org/support/security", "nodejs.org/en/blog/vulnerability"])
    expect(operationsGuide).toContain(address);
});
