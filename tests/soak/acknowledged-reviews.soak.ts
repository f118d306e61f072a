import { expect, test } from "vitest";
import { printFigure } from "../support/print-figure.ts";
import { surviveKills } from "../support/survive-kills.ts";

test("loses no acknowledged review when the site, or its database alone, is killed 50 times", async () => {
  const kills = await surviveKills(50);
  printFigure("50 kills, acknowledged reviews lost", kills.lost.length, `of ${kills.acknowledged}`);
  printFigure("50 kills, slowest start", kills.slowestStart, "ms");
  printFigure("50 kills, slowest restart of the database alone", kills.slowestRestart, "ms");
  expect(kills.lost).toEqual([]);
  expect(kills.acknowledged).toBeGreaterThan(100);
});
