import { expect, test } from "vitest";
import { describeWarnings } from "./describe-warnings.server.ts";

test("a refresh reports how many shows have warnings, and the phrases it sees for the first time", () => {
  const shows = [
    { warnings: null },
    { warnings: ["Nudity", "Audience participation"] },
    { warnings: ["strobe LIGHTING", "Haze"] },
    { warnings: ["HAZE", "audience participation"] },
  ];
  expect(describeWarnings(shows, ["Strobe lighting"])).toEqual({
    warned: 3,
    announced: 2,
    newPhrases: ["Audience participation", "Haze", "Nudity"],
  });
});

test("no more than fifty new phrases are reported", () => {
  const warnings = Array.from({ length: 60 }, (_, index) => `Warning ${index}`);
  expect(describeWarnings([{ warnings }], []).newPhrases).toHaveLength(50);
});
