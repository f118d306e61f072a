/*
 * `npm run pictures`: takes the README's pictures from the running product, into docs/pictures/. The invented programme and
 * reviews are the same every time; fonts are the machine's.
 */
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page } from "@playwright/test";
import { openBrowser } from "./browser.ts";
import { startSite, temporaryDataDir } from "./running-site.ts";
import { ensureBuilt, ensureInstalled, findRuntime, root } from "./setup.mjs";
import { tidily } from "./tidily.ts";

interface Picture {
  file: string;
  address: string;
  /** What the picture ends below. */
  last: (page: Page) => Locator;
  /** Somebody is signed in. */
  signedIn?: boolean;
  width: number;
  options: BrowserContextOptions;
}

const card = (number: number) => (page: Page) => page.getByRole("article").nth(number - 1);

const pictures: Picture[] = [
  { file: "list.png", address: "/", last: card(4), width: 1440, signedIn: true, options: { colorScheme: "light" } },
  {
    file: "search.png",
    address: "/?search=biscuit&interaction=no",
    last: card(4),
    width: 820,
    options: { colorScheme: "light" },
  },
  {
    file: "phone.png",
    address: "/",
    last: card(1),
    width: 390,
    options: { colorScheme: "dark", deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  },
  {
    file: "sign-in.png",
    address: "/auth",
    last: (page) => page.getByText("By signing in"),
    width: 820,
    options: { colorScheme: "light" },
  },
];

/** Space left under what a picture ends below, in CSS pixels. */
const MARGIN = 24;

async function take(browser: Browser, origin: string, { file, address, last, width, signedIn, options }: Picture) {
  const viewport = { width, height: 2_000 };
  const page = await browser.newPage({ ...options, viewport, locale: "en-GB", reducedMotion: "reduce" });
  if (signedIn) await signIn(page, origin);
  await page.goto(origin + address, { waitUntil: "networkidle" });
  const end = await last(page).boundingBox();
  if (!end) throw new Error(`${address} does not show what the picture ends below`);
  const clip = { x: 0, y: 0, width, height: Math.ceil(end.y + end.height + MARGIN) };
  await page.screenshot({ path: join(root, "docs/pictures", file), animations: "disabled", clip });
  await page.close();
  console.log(`docs/pictures/${file}`);
}

/** Signs in as one of the people whom the stand-in offers. */
async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("button", { name: /@/ }).first().click();
  await page.getByRole("button", { name: "Sign Out" }).waitFor();
}

ensureInstalled();
ensureBuilt(findRuntime());

await tidily(async (running) => {
  const site = await startSite(await temporaryDataDir(running), running);
  const browser = await openBrowser(running);
  for (const picture of pictures) await take(browser, site.origin, picture);
});
