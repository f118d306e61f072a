import { defineConfig, devices } from "@playwright/test";
import { chromiumArgs, findSystemChromium } from "./scripts/chromium.mjs";

/**
 * Four screens, of one to four columns. What no width changes is tested once, on the third: its tests are
 * tagged `@once`. What takes long and differs in narrow and wide only is tested on the first and the third:
 * `@twice`. What only phones have is tested on the first: `@narrow`.
 */
const screens = [
  { width: 360, height: 740, isMobile: true, hasTouch: true },
  { width: 768, height: 1024, isMobile: false, hasTouch: true },
  { width: 1100, height: 800, isMobile: false, hasTouch: false },
  { width: 1500, height: 900, isMobile: false, hasTouch: false },
];

export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/e2e/setup.ts",
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  // More than two processors need: tests often wait for a server or a clock.
  workers: 3,
  reporter: "list",
  timeout: 60_000,
  // For what hangs, not for what is slow: a sign-in is four documents, and other things may run on the machine.
  expect: { timeout: 20_000 },
  use: {
    ...devices["Desktop Chrome"],
    screenshot: "only-on-failure",
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? findSystemChromium(), args: chromiumArgs },
  },
  projects: screens.map(({ width, height, isMobile, hasTouch }) => ({
    name: `${width} px`,
    use: { viewport: { width, height }, isMobile, hasTouch },
    ...(width === 360 && { grepInvert: /@once/ }),
    ...(width === 1100 && { grepInvert: /@narrow/ }),
    ...((width === 768 || width === 1500) && { grepInvert: /@once|@twice|@narrow/ }),
  })),
});
