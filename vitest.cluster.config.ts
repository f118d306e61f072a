import { defineConfig } from "vitest/config";

/**
 * `npm run test:cluster`: failovers, upgrades and hanging instances with the real programs that stand around
 * the site, one file after the other. Each test prints its figures of docs/reliability.md.
 */
export default defineConfig({
  test: {
    testTimeout: 5 * 60_000,
    hookTimeout: 3 * 60_000,
    expect: { poll: { timeout: 10_000 } },
    fileParallelism: false,
    disableConsoleIntercept: true,
    globalSetup: ["tests/support/postgres.ts"],
    include: ["tests/cluster/**/*.cluster.ts"],
  },
});
