import { type Browser, devices, type Page } from "@playwright/test";

/** A page of a phone that has never seen the site, its processor so many times slower than this machine's. */
export async function openPhone(browser: Browser, slowdown: number): Promise<Page> {
  const context = await browser.newContext(devices["Moto G4"]);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  return page;
}

/** A connection, as Chromium plays it: each request waits for a round trip, and all share the line. */
export interface Line {
  /** In ms. */
  roundTrip: number;
  kilobitsPerSecond: number;
}

/** Everything that the page asks for from now on goes over this line. */
export async function putOnLine(page: Page, { roundTrip, kilobitsPerSecond }: Line): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const bytesPerSecond = (kilobitsPerSecond * 1000) / 8;
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: roundTrip,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}
