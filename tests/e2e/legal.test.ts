import type { BrowserContext } from "@playwright/test";
import { localStorageKeys, sessionStorageKeys } from "../../src/legal/stored-data.ts";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { expect } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

async function recordKeys(context: BrowserContext): Promise<Set<string>> {
  const keys = new Set<string>();
  await context.exposeFunction("recordKey", (key: string) => void keys.add(key));
  await context.addInitScript(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (key, value) {
      Reflect.get(window, "recordKey")(key);
      setItem.call(this, key, value);
    };
  });
  return keys;
}

const named = [...localStorageKeys, ...sessionStorageKeys]
  .flatMap(({ names }) => names)
  .map((name) => new RegExp(`^${name.replace("…", ".+")}$`));

test("the privacy page names what is stored", async ({ page, context, ui, email, environment, visit }) => {
  const keys = await recordKeys(context);
  await ui.signInByPages(email);
  await ui.open(ui.cards.first());
  await ui.notes.fill("Sat in row three");
  await page.keyboard.press("Escape");
  await visit("/?page=2");
  await ui.signOutButton.click();
  await ui.signInButton.waitFor();
  expect(keys).toContain("front-row-signed-out");
  expect([...keys].some((key) => key.startsWith("front-row-draft "))).toBe(true);
  const left = await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }));
  expect(left.filter((key) => /draft|session/.test(key))).toEqual([]);
  expect([...keys].filter((key) => !named.some((name) => name.test(key)))).toEqual([]);
  expect(await context.cookies(environment.origin)).toEqual([]);
});

test.describe("on a screen 320 px wide", () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test("terms and privacy are accessible, and every footer fits", async ({ page, problems }) => {
    problems.expect(/404/);
    for (const address of ["/terms", "/privacy", "/", "/auth", "/nowhere"]) {
      await page.goto(address);
      expect(await overflowOf(page), address).toBe(0);
      const footer = page.getByRole("contentinfo");
      await footer.scrollIntoViewIfNeeded();
      const boxes = await footer
        .getByRole("link")
        .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().toJSON()));
      expect(boxes).toHaveLength(5);
      for (const { width, height } of boxes) expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
      if (address === "/terms" || address === "/privacy") await expectAccessible(page);
    }
  });
});
