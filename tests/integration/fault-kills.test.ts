import { expect, test } from "vitest";
import { surviveKills } from "../support/kills.ts";

test("killed in the middle of reviews, with its database or the database alone, the site comes up again and has lost nothing", async () => {
  expect((await surviveKills(3)).acknowledged).toBeGreaterThan(0);
});
