import { afterAll, expect, test } from "vitest";
import { createTestDatabase } from "../support/postgres.ts";

const database = await createTestDatabase();
afterAll(() => database.close());

test("a new database has no shows", async () => {
  expect(await database.db.selectFrom("shows").selectAll().execute()).toEqual([]);
});
