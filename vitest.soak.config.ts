import { defineConfig } from "vitest/config";

/**
 * `npm run test:soak`: what takes minutes, one file after the other. Each test prints the figures of
 * docs/reliability.md.
 */
export default defineConfig({
  test: {
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    disableConsoleIntercept: true,
    globalSetup: ["tests/support/postgres.ts"],
    include: ["tests/soak/**/*.soak.ts"],
  },
});
