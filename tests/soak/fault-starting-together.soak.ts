import { test } from "vitest";
import { figure } from "../support/figure.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { startTogether } from "../support/starting-together.ts";

const ROUNDS = 20;

test("three servers start at once on an empty database, 20 times", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const database = await createEmptyDatabase();
    await startTogether(database).finally(database.close);
  }
  figure("three servers at once on an empty database, all up with the list fetched once", ROUNDS, `of ${ROUNDS} times`);
});
