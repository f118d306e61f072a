import { expect, test } from "vitest";
import { bareShow } from "../../../tests/support/snapshot.ts";
import { previewOf } from "./preview.server.ts";

test("a preview's texts have at most three marks on a letter", () => {
  const [marked, shown] = [6, 3].map((marks) => `Mo${"\u0301".repeat(marks)}th`) as [string, string];
  const show = { ...bareShow("7"), title: marked, artist: marked, venue_name: marked };
  expect(previewOf(show)).toMatchObject({ title: shown, artist: shown, venue: shown });
});
