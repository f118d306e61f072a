import { firefox } from "@playwright/test";
import { launchFirefox } from "./support/firefox.ts";
import { testJourneys } from "./support/journeys.ts";
import { launchPlaywright } from "./support/playwright.ts";

// scripts/test-engines.mjs chooses.
const byPlaywright = process.env.ENGINES === "playwright";

testJourneys({
  launch: byPlaywright ? launchPlaywright(firefox) : launchFirefox,
  keepsProfiles: true,
  hasBackForwardCache: !byPlaywright,
  remembersLostScripts: true,
});
