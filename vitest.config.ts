import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The small files last, so that no long one runs alone at the end; those with a DOM together, in one worker each. */
class IntegrationFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      if (moduleId.includes("/tests/integration/")) return 0;
      return readFileSync(moduleId, "utf8").startsWith("// @vitest-environment") ? 2 : 1;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const postgres = ["tests/support/postgres.ts"];

/** For what takes minutes: one file after the other, and its figures are printed as they come. */
const slow = { fileParallelism: false, disableConsoleIntercept: true, globalSetup: postgres };

/** `npm test` runs the first two projects, `npm run test:soak`, `test:cluster` and `test:engines` one each. */
export default defineConfig({
  test: {
    tags: [{ name: "soak", description: "rows of a matrix that `npm test` leaves out" }],
    // Limits for what hangs, not for what is slow: other things may run on the machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    // More than small machines have processors: integration tests often wait for other processes and for
    // limits of time.
    maxWorkers: 5,
    sequence: { sequencer: IntegrationFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "integration",
          include: ["tests/integration/**/*.test.ts", "dev/**/*.test.ts"],
          globalSetup: postgres,
          // Each file has a database of its own; what they import is loaded once for each worker.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.{ts,tsx}"],
          // They leave nothing behind that another could find, and a worker of its own takes longer than most
          // of these files.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...slow, name: "soak", include: ["tests/soak/**/*.soak.ts"], testTimeout: 30 * 60_000 },
      },
      {
        extends: true,
        test: {
          ...slow,
          name: "cluster",
          include: ["tests/cluster/**/*.cluster.ts"],
          testTimeout: 5 * 60_000,
          hookTimeout: 3 * 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "engines",
          include: ["tests/engines/**/*.engines.ts"],
          testTimeout: 4 * 60_000,
          expect: { poll: { timeout: 30_000, interval: 100 } },
          maxWorkers: 2,
          globalSetup: postgres,
        },
      },
    ],
  },
});
