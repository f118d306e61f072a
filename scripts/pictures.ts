/** `npm run pictures`: takes the README's screenshots of the running site, into docs/pictures/. */
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page } from "@playwright/test";
import { startSite, temporaryDataDir } from "../dev/harness/running-site.ts";
import { openBrowser } from "./browser.ts";
import { runWithCleanup } from "./run-with-cleanup.ts";
import { ensureBuilt, ensureInstalled, findRuntime, root } from "./setup.mjs";

interface Picture {
  file: string;
  address: string;
  /** The last element in the picture; or the picture's height, in CSS pixels. */
  end: ((page: Page) => Locator) | number;
  /** The visitor's steps before the picture. */
  act?: (page: Page) => Promise<void>;
  signedIn?: boolean;
  width: number;
  options: BrowserContextOptions;
}

const card = (number: number) => (page: Page) => page.getByRole("article").nth(number - 1);

const pictures: Picture[] = [
  {
    file: "list.png",
    address: "/",
    end: card(4),
    width: 1440,
    signedIn: true,
    options: { colorScheme: "light" },
  },
  {
    file: "search.png",
    address: "/?search=biscuit&interaction=no",
    end: card(4),
    width: 820,
    options: { colorScheme: "light" },
  },
  {
    file: "phone.png",
    address: "/",
    end: card(1),
    width: 390,
    options: { colorScheme: "dark", deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  },
  {
    file: "sign-in.png",
    address: "/auth",
    end: (page) => page.getByText("By signing in"),
    width: 820,
    options: { colorScheme: "light" },
  },
  {
    file: "review.png",
    address: "/",
    end: 800,
    act: fillIn,
    signedIn: true,
    width: 820,
    options: { colorScheme: "light" },
  },
];

async function fillIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Review This Show" }).first().click();
  await page.getByRole("radio", { name: "Very little interaction" }).check();
  await page
    .getByRole("textbox", { name: "Additional notes" })
    .fill("A lot of clapping along. Nobody has to leave their seat.");
}

/** In CSS pixels. */
const MARGIN = 24;

async function take(
  browser: Browser,
  origin: string,
  { file, address, end, act, width, signedIn, options }: Picture,
) {
  const viewport = { width, height: typeof end === "number" ? end : 2_000 };
  const page = await browser.newPage({ ...options, viewport, locale: "en-GB", reducedMotion: "reduce" });
  if (signedIn) await signIn(page, origin);
  await page.goto(origin + address, { waitUntil: "networkidle" });
  await act?.(page);
  const clip = { x: 0, y: 0, width, height: typeof end === "number" ? end : await heightTo(end(page)) };
  await page.screenshot({ path: join(root, "docs/pictures", file), animations: "disabled", clip });
  await page.close();
  console.log(`docs/pictures/${file}`);
}

async function heightTo(last: Locator): Promise<number> {
  const box = await last.boundingBox();
  if (!box) throw new Error(`The page does not show the last element of the picture: ${last}`);
  return Math.ceil(box.y + box.height + MARGIN);
}

async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("button", { name: /@/ }).first().click();
  await page.getByRole("button", { name: "Sign Out" }).waitFor();
}

await ensureInstalled();
ensureBuilt(findRuntime());

await runWithCleanup(async (running) => {
  const site = await startSite(await temporaryDataDir(running), running);
  const browser = await openBrowser(running);
  for (const picture of pictures) await take(browser, site.origin, picture);
});
