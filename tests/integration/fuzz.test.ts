import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { type FuzzedSite, startFuzzedSite } from "../support/fuzz/fuzzed-site.ts";

// `npm run test:soak` asks seventy times as much.

let fuzzed: FuzzedSite;

beforeAll(async () => {
  fuzzed = await startFuzzedSite();
});
afterEach(() => fuzzed.expectHealthy());
afterAll(() => fuzzed.close());

test("whatever is changed in a request, the answer is decent, and only what was acknowledged is stored", async () => {
  await fc.assert(
    fc.asyncProperty(
      fuzzed.requests,
      untilTimeLimit((drafts) => fuzzed.send(drafts)),
    ),
    fuzzRuns(300),
  );
});

test("whatever bytes come, the server answers no 500, tells nothing and stores nothing", async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fuzzed.streams,
      untilTimeLimit(async (streams) => {
        answered += await fuzzed.sendBytes(streams);
      }),
    ),
    fuzzRuns(80),
  );
  // Who gives up before an answer comes has proved nothing.
  expect(answered).toBeGreaterThan(20);
});
