import { expect, test } from "vitest";
import { figure } from "../support/figure.ts";
import { surviveKills } from "../support/kills.ts";

test("no acknowledged review is lost when the site or its database alone is killed 50 times", async () => {
  const kills = await surviveKills(50);
  figure("50 kills, acknowledged reviews lost", kills.lost.length, `of ${kills.acknowledged}`);
  figure("50 kills, slowest start", kills.slowestStart, "ms");
  figure("50 kills, slowest return of the database alone", kills.slowestRestart, "ms");
  expect(kills.lost).toEqual([]);
  expect(kills.acknowledged).toBeGreaterThan(100);
});
