import { expect, test } from "vitest";
import { previewOf } from "./preview.server.ts";

test("a preview's texts have at most three marks on a letter", () => {
  const marks = "\u0300\u0301\u0302\u0303\u0304\u0305";
  const preview = previewOf({
    id: "7",
    title: `Mo${marks}th`,
    website: null,
    artist: `A${marks}`,
    venue_name: "Ngọ".normalize("NFD"),
    genre: null,
    description: null,
    year: 2025,
    status: "active",
    announced: "unknown",
  });
  const { title, artist, venue } = preview;
  expect([title, artist, venue]).toEqual([
    `Mo${marks.slice(0, 3)}th`,
    `A${marks.slice(0, 3)}`,
    "Ngọ".normalize("NFD"),
  ]);
});
