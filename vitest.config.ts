import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Limits for what hangs, not for what is slow: other things may run on the machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    globalSetup: ["tests/support/postgres.ts"],
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "dev/**/*.test.ts", "tests/integration/**/*.test.ts"],
  },
});
