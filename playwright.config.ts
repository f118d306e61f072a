import { defineConfig, devices } from "@playwright/test";

/** What Chromium needs as root in a container, and to stay off the network. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Four screens, of one to four columns. What no width changes is tested once, on the third: its tests are tagged `@once`. */
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
  workers: 2,
  reporter: "list",
  use: {
    ...devices["Desktop Chrome"],
    trace: "retain-on-failure",
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium", args },
  },
  projects: screens.map(({ width, height, isMobile, hasTouch }) => ({
    name: `${width} px`,
    use: { viewport: { width, height }, isMobile, hasTouch },
    ...(width !== 1100 && { grepInvert: /@once/ }),
  })),
});
