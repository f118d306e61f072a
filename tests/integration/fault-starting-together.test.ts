import { test } from "vitest";
import { createEmptyDatabase } from "../support/postgres.ts";
import { startTogether } from "../support/starting-together.ts";

test("three servers that start at once on an empty database all come up, with the list fetched once", async () => {
  const database = await createEmptyDatabase();
  await startTogether(database).finally(database.close);
});
