import { defineConfig, devices } from "@playwright/test";
import { chromiumArgs, findSystemChromium } from "./scripts/chromium.mjs";

export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/e2e/setup.ts",
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  // More than two processors need: tests often wait for a server or a clock.
  workers: 3,
  reporter: "list",
  // For what hangs, not for what is slow: a sign-in is four documents, and Vitest's tests run at the same time.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1100, height: 800 },
    // Tests of what works offline allow it: a worker would hide requests from what intercepts them.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? findSystemChromium(), args: chromiumArgs },
  },
});
