import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { brokenBytes } from "../support/fuzz/bytes.ts";
import { spoiled } from "../support/fuzz/changes.ts";
import { type FuzzedSite, startFuzzedSite } from "../support/fuzz/fuzzed-site.ts";
import { rounds } from "../support/fuzz/rounds.ts";

// `npm run test:soak` asks a hundred times as much.

let fuzzed: FuzzedSite;

beforeAll(async () => {
  fuzzed = await startFuzzedSite();
});
afterEach(() => fuzzed.expectUnharmed());
afterAll(() => fuzzed.close());

const atOnce = { minLength: 1, maxLength: 8, size: "max" } as const;

test("whatever is changed in a request, the answer is decent, and only what was acknowledged is stored", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(spoiled(fuzzed.good), atOnce), (drafts) => fuzzed.send(drafts)),
    { ...rounds(280), interruptAfterTimeLimit: 40_000 },
  );
});

test("whatever bytes come, the server answers no 500, tells nothing and stores nothing", async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(brokenBytes(fuzzed.careless), atOnce), async (streams) => {
      answered += await fuzzed.sendBytes(streams);
    }),
    { ...rounds(100), interruptAfterTimeLimit: 40_000 },
  );
  // Who gives up before an answer comes has proved nothing.
  expect(answered).toBeGreaterThan(100);
});
