import fc from "fast-check";
import { afterAll, afterEach, expect, test } from "vitest";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { startFuzzedSite } from "../support/fuzz/fuzzed-site.ts";

// `npm run test:soak` sends two hundred times as many requests.

const fuzzedSite = await startFuzzedSite();
afterEach(() => fuzzedSite.expectHealthy());
afterAll(() => fuzzedSite.close());

test("mutated requests get valid responses, and only acknowledged reviews are stored", async () => {
  await fc.assert(
    fc.asyncProperty(
      fuzzedSite.requests,
      untilTimeLimit((drafts) => fuzzedSite.send(drafts)),
    ),
    fuzzRuns(80),
  );
});

test("arbitrary bytes cause no 5xx, leak nothing and store nothing", async () => {
  let responseCount = 0;
  await fc.assert(
    fc.asyncProperty(
      fuzzedSite.streams,
      untilTimeLimit(async (streams) => {
        responseCount += await fuzzedSite.sendBytes(streams);
      }),
    ),
    fuzzRuns(15),
  );
  // Without any response, the property would test nothing.
  expect(responseCount).toBeGreaterThan(5);
});
