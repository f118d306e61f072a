import { firefox, webkit } from "@playwright/test";
import type { Launch } from "./browser.ts";
import { launchFirefox } from "./firefox.ts";
import { launchPlaywright } from "./playwright.ts";
import { launchWebKit } from "./webkit.ts";

const debian: [string, Launch][] = [
  ["Firefox", launchFirefox],
  ["WebKit", launchWebKit],
];

const playwright: [string, Launch][] = [
  ["Firefox", launchPlaywright(firefox)],
  ["WebKit", launchPlaywright(webkit)],
];

const byPlaywright = process.env.ENGINES === "playwright";

/** The engines to test, by name (scripts/test-engines.mjs). */
export const engines = byPlaywright ? playwright : debian;

/** Playwright turns the back/forward cache off. */
export const hasBackForwardCache = !byPlaywright;
