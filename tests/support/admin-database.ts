import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { runAdmin, runAdminProcess } from "./admin.ts";
import { createTestDatabase } from "./postgres.ts";
import { type Programme, replaceProgramme } from "./programme.ts";

/** Each test starts with listed shows of these titles, these reviews by eight users, and an empty audit log. */
export function setUpAdminDatabase(titles: readonly string[], reviews: Programme["reviews"]) {
  let database: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    const show = { artist: null, venue_name: null, listed: true, year: YEAR, status: "active" } as const;
    await replaceProgramme(database.db, { shows: titles.map((title) => ({ ...show, title })), reviews });
    await sql`truncate audit`.execute(database.db);
  });

  return {
    db: () => database.db,
    run: (...args: string[]) => runAdmin(database, args),
    runProcess: (args: readonly string[], input = "") => runAdminProcess(database, args, input),
  };
}
