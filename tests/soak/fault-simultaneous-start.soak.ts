import { test } from "vitest";
import { createEmptyDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { startSimultaneously } from "../support/start-simultaneously.ts";

const ROUNDS = 20;

test("three servers start simultaneously on an empty database, 20 times", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const database = await createEmptyDatabase();
    await startSimultaneously(database).finally(database.close);
  }
  printFigure(
    "simultaneous starts of three servers on an empty database, one fetch and all list the shows",
    ROUNDS,
    `of ${ROUNDS} times`,
  );
});
