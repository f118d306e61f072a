import { createCanvas, loadImage } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import drawPreview from "./draw-preview.server.ts";
import type { Preview } from "./preview.server.ts";

const preview: Preview = {
  title: "Owls",
  artist: "Ada",
  venue: "The Dock",
  isCancelled: true,
  badge: { interaction: "yes", text: "Most common: Yes", tie: null, isOutlined: false },
  sentences: ["5 of 9 said Yes.", "Not announced in the listing."],
};

const pictureOf = (changes: Partial<Preview>) =>
  Buffer.from(drawPreview({ ...preview, ...changes })).toString("base64");

test("decomposed accents are drawn as the letters that have them", () => {
  const title = "Můry z Åsgårdu";
  expect(pictureOf({ title: title.normalize("NFD") })).toBe(pictureOf({ title }));
  expect(pictureOf({ title: title.normalize("NFD") })).not.toBe(pictureOf({ title: "Mury z Asgardu" }));
});

test("the longest title leaves room for the facts below it, above the badge", async () => {
  const title = "The owl, the other owl and ".repeat(11);
  const picture = await loadImage(drawPreview({ ...preview, title }));
  const context = createCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  // The badge begins at 442. Letters without descenders would end some pixels above.
  const { data } = context.getImageData(0, 422, picture.width, 20);
  expect(new Set(new Uint32Array(data.buffer)).size).toBe(1);
});
