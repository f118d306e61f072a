import { test } from "vitest";
import { createEmptyDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { startSimultaneously } from "../support/start-simultaneously.ts";

const ROUNDS = 20;

test("three servers start at once on an empty database, 20 times", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const database = await createEmptyDatabase();
    await startSimultaneously(database).finally(database.close);
  }
  printFigure(
    "three servers at once on an empty database, all up with the list fetched once",
    ROUNDS,
    `of ${ROUNDS} times`,
  );
});
