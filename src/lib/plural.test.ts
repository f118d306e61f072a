import { expect, test } from "vitest";
import { plural } from "./plural.ts";

test("only 1 is singular", () => {
  expect([0, 1, 2].map((count) => plural(count, "review"))).toEqual(["0 reviews", "1 review", "2 reviews"]);
});
