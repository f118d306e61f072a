import { expect, test } from "vitest";
import { bareShow } from "../../../tests/support/snapshot.ts";
import { previewOf } from "./preview.server.ts";

test("a preview's texts have at most three marks on a letter", () => {
  const marks = "\u0300\u0301\u0302\u0303\u0304\u0305";
  const { title, artist, venue } = previewOf({
    ...bareShow("7"),
    title: `Mo${marks}th`,
    artist: `A${marks}`,
    venue_name: "Ngọ".normalize("NFD"),
  });
  expect([title, artist, venue]).toEqual([
    `Mo${marks.slice(0, 3)}th`,
    `A${marks.slice(0, 3)}`,
    "Ngọ".normalize("NFD"),
  ]);
});
