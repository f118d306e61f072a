import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Files of `npm test` some of whose tests, tagged `soak`, it leaves out. */
const partly = globSync("tests/integration/*.test.ts").filter((file) =>
  /tags: "soak"|testRows/.test(readFileSync(file, "utf8")),
);

/**
 * `npm run test:soak`: what takes minutes, one file after the other. Each test of `tests/soak` prints the
 * figures of docs/reliability.md.
 */
export default defineConfig({
  test: {
    tags: [{ name: "soak" }],
    testTimeout: 30 * 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    fileParallelism: false,
    disableConsoleIntercept: true,
    globalSetup: ["tests/support/postgres.ts"],
    include: ["tests/soak/**/*.soak.ts", ...partly],
  },
});
