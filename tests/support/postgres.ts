import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { pino } from "pino";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/database/embedded.server.ts";
import { migrate } from "../../src/database/migrate.server.ts";
import { connectDatabase, type Database } from "../../src/database/open.server.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

const TEMPLATE = "front_row_template";

/** One throw-away server for the whole run: Vitest's globalSetup. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "front-row-test-"));
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };
  const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: "warn" }), settings });
  await onServer(server.url, `create database ${TEMPLATE}`);
  await migrate(databaseUrl(server.url, TEMPLATE));
  project.provide("postgresUrl", server.url);
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

/**
 * A fresh, migrated database for one test file; `close()` drops it. Its pool logs nothing.
 *
 *     const database = await createTestDatabase();
 *     afterAll(() => database.close());
 */
export async function createTestDatabase(): Promise<Database> {
  return createDatabase(`template ${TEMPLATE}`);
}

/** The same without any table in it. */
export async function createEmptyDatabase(): Promise<Database> {
  return createDatabase("");
}

async function createDatabase(options: string): Promise<Database> {
  const server = inject("postgresUrl");
  const name = `test_${randomBytes(8).toString("hex")}`;
  await onServer(server, `create database ${name} ${options}`);
  return connectDatabase(databaseUrl(server, name), pino({ level: "silent" }), () =>
    onServer(server, `drop database if exists ${name} with (force)`),
  );
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
