import { defineConfig } from "vitest/config";

/** `npm run test:engines`: what visitors do, in the engines of other browsers than Chromium. */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 50 } },
    fileParallelism: false,
    globalSetup: ["tests/support/postgres.ts"],
    include: ["tests/engines/**/*.engines.ts"],
  },
});
