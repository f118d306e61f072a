import { webkit } from "@playwright/test";
import { testJourneys } from "./support/journeys.ts";
import { launchPlaywright } from "./support/playwright.ts";
import { launchWebKit } from "./support/webkit.ts";

// scripts/test-engines.mjs chooses.
const byPlaywright = process.env.ENGINES === "playwright";

testJourneys({
  launch: byPlaywright ? launchPlaywright(webkit) : launchWebKit,
  keepsProfiles: byPlaywright,
  hasBackForwardCache: !byPlaywright,
});
