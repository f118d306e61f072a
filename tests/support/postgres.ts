import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import type { Database } from "../../src/database/open.server.ts";
import { createDatabase, createMigratedDatabase, runOnServer, startTestPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestPostgres();
  project.provide("postgresUrl", server.url);
  return server.stop;
}

/**
 * A fresh, migrated database for one test file; `close()` drops it. Its pool logs nothing.
 *
 *     const database = await createTestDatabase();
 *     afterAll(() => database.close());
 */
export function createTestDatabase(): Promise<Database> {
  return createMigratedDatabase(inject("postgresUrl"));
}

/** A fresh database without tables. */
export function createEmptyDatabase(): Promise<Database> {
  return createDatabase(inject("postgresUrl"), "");
}

/** A database that belongs to a role of its own, which has no other rights. */
interface OwnedDatabase {
  /** As the superuser. */
  database: Database;
  /** As the role. */
  url: string;
  /** What `alter role` takes to change the sessions of this role in this database. */
  scope: string;
  close(): Promise<void>;
}

/** A fresh database without tables, and a fresh role that owns it. */
export async function createOwnedDatabase(role: string): Promise<OwnedDatabase> {
  const server = inject("postgresUrl");
  const database = await createEmptyDatabase();
  const url = Object.assign(new URL(database.url), {
    username: role,
    password: "choose-another",
    search: "",
  });
  const name = url.pathname.slice(1);
  await database.pool.query(`create role ${role} login password '${url.password}'`);
  await database.pool.query(`alter database ${name} owner to ${role}`);
  return {
    database,
    url: url.href,
    scope: `${role} in database ${name}`,
    async close() {
      await database.close();
      await runOnServer(server, `drop role ${role}`);
    },
  };
}
