import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["tests/support/postgres.ts"],
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "dev/**/*.test.ts", "tests/integration/**/*.test.ts"],
  },
});
