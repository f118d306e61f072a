import { expect, test } from "vitest";
import { figure } from "../support/figure.ts";
import { surviveKills } from "../support/kills.ts";

test("killed 50 times in the middle of reviews, with its database or the database alone", async () => {
  const kills = await surviveKills(50);
  figure("50 kills, acknowledged reviews lost", kills.lost.length, `of ${kills.acknowledged}`);
  figure("50 kills, slowest start", kills.slowestStart, "ms");
  figure("50 kills, slowest return of the database alone", kills.slowestRestart, "ms");
  expect(kills.lost).toEqual([]);
  expect(kills.acknowledged).toBeGreaterThan(100);
});
