import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Limits for what hangs, not for what is slow: other things may run on the machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Twice as many as the smallest machine has processors: integration tests wait for other processes half of the time.
    maxWorkers: 4,
    globalSetup: ["tests/support/postgres.ts"],
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "dev/**/*.test.ts", "tests/integration/**/*.test.ts"],
  },
});
