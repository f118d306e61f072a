import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import type { Database } from "../../src/database/open.server.ts";
import { createDatabase, createMigratedDatabase, startTestPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Vitest's globalSetup: one temporary PostgreSQL server for the whole run. */
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
