import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import type { Database } from "../../src/database/open.server.ts";
import { createDatabase, createMigratedDatabase, query, startTestPostgres } from "./postgres-server.ts";

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

export function createTestDatabase(): Promise<Database> {
  return createMigratedDatabase(inject("postgresUrl"));
}

export function createEmptyDatabase(): Promise<Database> {
  return createDatabase(inject("postgresUrl"), "");
}

/** `database` connects as superuser, `url` as the owner. `alter role <scope>` changes the owner's sessions. */
export async function createOwnedDatabase(role: string) {
  const server = inject("postgresUrl");
  const database = await createEmptyDatabase();
  const account = { username: role, password: "choose-another", search: "" };
  const url = Object.assign(new URL(database.url), account);
  const name = url.pathname.slice(1);
  await database.pool.query(`create role ${role} login password '${url.password}'`);
  await database.pool.query(`alter database ${name} owner to ${role}`);
  return {
    database,
    url: url.href,
    scope: `${role} in database ${name}`,
    async close() {
      await database.close();
      await query(server, `drop role ${role}`);
    },
  };
}
