import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { expect, onTestFinished, test, vi } from "vitest";
import { bareShow } from "../../../tests/support/snapshot.ts";
import { cardTexts, noReviewsYet } from "../../domain/card-texts.ts";
import { wasAtFringe, YEAR } from "../../domain/programme.ts";
import drawPreview from "./draw-preview.server.ts";
import { type Preview, previewOf } from "./preview.server.ts";
import { createDrawPreview } from "./previews.server.ts";

const refusal = new Error("busy");

const preview: Preview = {
  title: "Owls",
  artist: "Ada",
  venue: "The Dock",
  isCancelled: true,
  reviewed: {
    badge: { interaction: "yes", text: "Most common: Yes", tie: null, isOutlined: false },
    tallies: { no: 3, very_little: 1, yes: 5 },
  },
  sentences: [],
  description: "",
};

test("a preview's texts have at most three marks on a letter", () => {
  const [marked, shown] = [6, 3].map((marks) => `Mo${"\u0301".repeat(marks)}th`) as [string, string];
  const show = { ...bareShow("7"), title: marked, artist: marked, venue_name: marked };
  expect(previewOf(show)).toMatchObject({ title: shown, artist: shown, venue: shown });
});

const card = (no: number, very_little: number, yes: number) => ({
  ...bareShow("7"),
  reviews: { no, very_little, yes, latest_at: null, revision: 0, total: no + very_little + yes, few: false },
});
const few = "Only 1 person has said so far.";

test.each([
  [card(175, 4, 20), "Audience interaction: most common No (175 of 199 people).", []],
  [card(2, 0, 3), "Audience interaction: most common Yes (3 of 5 people).", []],
  [card(3, 3, 3), "Audience interaction: most common Yes, tied with No and Very little (3 of 9 people).", []],
  [card(0, 1, 0), `Audience interaction: most common Very little. ${few}`, [few]],
  [card(0, 0, 0), `Audience interaction: ${noReviewsYet}`, [noReviewsYet, cardTexts(bareShow("7")).listing]],
  [
    { ...card(6, 0, 0), year: YEAR - 1 },
    `${wasAtFringe(YEAR - 1)} Audience interaction: most common No (6 of 6 people).`,
    [wasAtFringe(YEAR - 1)],
  ],
  [{ ...card(0, 0, 0), year: YEAR - 1 }, wasAtFringe(YEAR - 1), [wasAtFringe(YEAR - 1)]],
])("a preview of %j says: %s (docs/product.md §3.13)", (show, words, sentences) => {
  const { description, ...drawn } = previewOf(show);
  expect(description.startsWith(words)).toBe(true);
  expect(drawn.sentences).toEqual(sentences);
  expect(drawn.reviewed?.tallies).toBe(show.reviews.total > 0 ? show.reviews : undefined);
});

test("the longest title leaves room for the facts below it, above the badge", async () => {
  const title = "The owl, the other owl and ".repeat(11);
  const picture = await loadImage(drawPreview({ ...preview, title }));
  const context = createCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  // `Audience interaction?` begins at 350. Letters without descenders would end some pixels above.
  const { data } = context.getImageData(0, 338, picture.width, 12);
  expect(new Set(new Uint32Array(data.buffer)).size).toBe(1);
});

test("clients take turns: the pictures of one that asks for many, and those that others also want, wait", async () => {
  const draw = createDrawPreview(refusal, 60_000);
  let drawn = 0;
  const flood = Array.from({ length: 20 }, async (_, n) => {
    await draw({ ...preview, title: `Moth ${n}` }, "203.0.113.1");
    drawn++;
  });
  const pictures = await Promise.all([
    draw(preview, "198.51.100.1"),
    draw({ ...preview, title: "Moth 19" }, "198.51.100.2"),
  ]);
  for (const picture of pictures) expect(picture.length).toBeGreaterThan(1_000);
  expect(drawn).toBeLessThan(5);
  await Promise.allSettled(flood);
});

test("a picture that is late is refused, and kept for the next request", async () => {
  const draw = createDrawPreview(refusal, 1);
  await expect(draw(preview, "203.0.113.1")).rejects.toBe(refusal);
  await expect.poll(() => draw(preview, "203.0.113.1").catch(() => null)).not.toBeNull();
});

test("a thread starts with the first picture, and ends with a failure, also an idle one, or when it is idle for long", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const threads: Worker[] = [];
  const add = (thread: Worker) => threads.push(thread);
  process.on("worker", add);
  onTestFinished(() => void process.off("worker", add));
  const draw = createDrawPreview(refusal);
  expect(threads).toEqual([]);
  await expect(draw({ ...preview, title: null as never }, "203.0.113.1")).rejects.toThrow();
  await draw(preview, "203.0.113.1");
  await draw({ ...preview, title: "Moth" }, "203.0.113.1");
  expect(threads).toHaveLength(2);
  threads[1]?.emit("error", new Error("Out of memory"));
  await draw({ ...preview, title: "Cat" }, "203.0.113.1");
  const [, , thread = expect.fail()] = threads;
  const ended = once(thread, "exit");
  vi.advanceTimersByTime(30_000);
  await ended;
  await draw({ ...preview, title: "Dog" }, "203.0.113.1");
  expect(threads).toHaveLength(4);
});
