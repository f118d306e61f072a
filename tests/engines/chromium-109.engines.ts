import { chromium } from "@playwright/test";
import { test } from "vitest";
import { testJourneys } from "./support/journeys.ts";
import { launchPlaywright } from "./support/playwright.ts";

// scripts/test-engines.mjs installs it.
const executablePath = process.env.CHROMIUM_109;

if (executablePath)
  testJourneys({
    launch: launchPlaywright(chromium, { executablePath, args: ["--no-sandbox", "--disable-gpu"] }),
    keepsProfiles: true,
    hasBackForwardCache: false,
  });
else test.skip("Chromium 109 is there for Linux on x64 alone", () => {});
