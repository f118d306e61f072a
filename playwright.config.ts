import { join } from "node:path";
import { defineConfig, devices } from "@playwright/test";
import { chromiumArgs, findSystemChromium } from "./scripts/chromium.mjs";

/** The browser sees the fonts of `tests/fonts` alone, whatever the machine has: text has the same width everywhere. */
const launchOptionsWith = (fonts: "wide" | "narrow") => ({
  executablePath: process.env.CHROMIUM_PATH ?? findSystemChromium(),
  args: chromiumArgs,
  env: { ...process.env, FONTCONFIG_FILE: join(import.meta.dirname, `tests/fonts/${fonts}.conf`) },
});

export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/e2e/setup.ts",
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  // More than two processors need: tests often wait for a server or a clock.
  workers: 4,
  reporter: "list",
  // A megabyte, which one test imports: to transpile it takes twenty seconds.
  build: { external: ["**/build/server/**"] },
  // For what hangs, not for what is slow: a sign-in is four documents, and other things may run on the machine.
  timeout: 300_000,
  expect: { timeout: 40_000 },
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1100, height: 800 },
    // Tests of what works offline allow it: a worker would hide requests from what intercepts them.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
  },
  projects: [
    { name: "wide fonts", use: { launchOptions: launchOptionsWith("wide") } },
    { name: "narrow fonts", grep: /@measures/, use: { launchOptions: launchOptionsWith("narrow") } },
  ],
});
