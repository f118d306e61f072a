/*
 * `npm run pictures`: takes the README's pictures from the running product, into docs/pictures/. The invented programme and
 * reviews are the same every time; fonts are the machine's.
 */
import { join } from "node:path";
import type { Browser, BrowserContextOptions } from "@playwright/test";
import { openBrowser } from "./browser.ts";
import { startSite, temporaryDataDir } from "./running-site.ts";
import { ensureBuilt, ensureInstalled, findRuntime, root } from "./setup.mjs";
import { tidily } from "./tidily.ts";

interface Picture {
  file: string;
  address: string;
  /** The picture ends below as many cards. */
  cards: number;
  width: number;
  options: BrowserContextOptions;
}

const pictures: Picture[] = [
  { file: "list.png", address: "/", cards: 4, width: 1440, options: { colorScheme: "light" } },
  {
    file: "search.png",
    address: "/?search=biscuit&interaction=no",
    cards: 4,
    width: 820,
    options: { colorScheme: "light" },
  },
  {
    file: "phone.png",
    address: "/",
    cards: 1,
    width: 390,
    options: { colorScheme: "dark", deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  },
];

/** Space left under the last card, in CSS pixels. */
const MARGIN = 24;

async function take(browser: Browser, origin: string, { file, address, cards, width, options }: Picture) {
  const viewport = { width, height: 2_000 };
  const page = await browser.newPage({ ...options, viewport, locale: "en-GB", reducedMotion: "reduce" });
  await page.goto(origin + address, { waitUntil: "networkidle" });
  const last = await page
    .getByRole("article")
    .nth(cards - 1)
    .boundingBox();
  if (!last) throw new Error(`${address} shows fewer than ${cards} shows`);
  const clip = { x: 0, y: 0, width, height: Math.ceil(last.y + last.height + MARGIN) };
  await page.screenshot({ path: join(root, "docs/pictures", file), animations: "disabled", clip });
  await page.close();
  console.log(`docs/pictures/${file}`);
}

ensureInstalled();
ensureBuilt(findRuntime());

await tidily(async (running) => {
  const site = await startSite(await temporaryDataDir(running), running);
  const browser = await openBrowser(running);
  for (const picture of pictures) await take(browser, site.origin, picture);
});
