import { defineConfig } from "vitest/config";

/** `npm run test:engines`: what visitors do, in Firefox and WebKit, beside each other. */
export default defineConfig({
  test: {
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 100 } },
    maxWorkers: 2,
    globalSetup: ["tests/support/postgres.ts"],
    include: ["tests/engines/**/*.engines.ts"],
  },
});
