import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { pino } from "pino";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import { connectDatabase, type Database } from "../../src/database/open.server.ts";
import { startTrialPostgres } from "../../src/database/trial/trial-postgres.server.ts";

const TEMPLATE = "front_row_template";

export async function startTestPostgres() {
  const dataDir = await mkdtemp(path.join(tmpdir(), "front-row-test-"));
  const careless = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
  const settings = { ...careless, max_connections: "200" };
  const server = await startTrialPostgres({ dataDir, log: pino({ level: "error" }), settings });
  await query(server.url, `create database ${TEMPLATE}`);
  await migrate(databaseUrl(server.url, TEMPLATE));
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function createMigratedDatabase(server: string): Promise<Database> {
  return createDatabase(server, `template ${TEMPLATE}`);
}

/** A new database with these options of `create database`. `close()` drops it. Its pool logs nothing. */
export async function createDatabase(server: string, options: string): Promise<Database> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await query(server, `create database ${name} ${options}`);
  return connectDatabase(databaseUrl(server, name), pino({ level: "silent" }), async () => {
    await query(server, `drop database if exists ${name} with (force)`);
  });
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** On a connection of its own. */
export async function query(url: string | undefined, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(statement).finally(() => client.end())).rows;
}
