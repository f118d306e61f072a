// Finds the browser for the tests; installs one if the machine has none.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { canInstallPackages } from "./debian-packages.mjs";
import { fail } from "./setup.mjs";

/** The headless shell first: it draws no windows, and takes half of the processor time. */
const knownPaths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/**
 * Parts of Chromium that no page needs. The first four start processes for menus with every new window, which take
 * as long as the tests. The others are from Playwright's own list, which this one replaces.
 */
const disabledFeatures = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "SpareRendererForSitePerProcess",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

/** For root in a container, and to stay off the network. */
export const chromiumArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${disabledFeatures.join(",")}`,
];

/** `CHROMIUM_PATH`, the system's, Playwright's, or a newly installed one. */
export async function findChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen && !existsSync(chosen)) fail(`CHROMIUM_PATH names ${chosen}, which does not exist.`);
  return chosen || (await findInstalled()) || (await installChromium());
}

/** Undefined without one. */
export function findSystemChromium() {
  return knownPaths.find((path) => existsSync(path));
}

async function findInstalled() {
  const { chromium } = await import("@playwright/test");
  return findSystemChromium() ?? [chromium.executablePath()].find((path) => existsSync(path));
}

async function installChromium() {
  console.log("Installing Chromium for the browser tests …");
  if (canInstallPackages) {
    const quietly = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    spawnSync("apt-get", ["update"], quietly);
    // Older releases have only the second name.
    for (const name of ["chromium-headless-shell", "chromium"]) {
      const install = ["install", "--yes", "--no-install-recommends", name];
      if (spawnSync("apt-get", install, quietly).status === 0) break;
    }
  } else {
    spawnSync(process.execPath, ["node_modules/.bin/playwright", "install", "chromium"], {
      stdio: "inherit",
    });
  }
  return (
    (await findInstalled()) ?? fail("No Chromium for the browser tests: install one, or set CHROMIUM_PATH.")
  );
}
