import { expect, once, test, untilInteractive } from "./support/test.ts";

test("scripts are fetched when the page has been painted", once, async ({ page }) => {
  // Nothing but the paint can begin them.
  await page.addInitScript(() => Object.defineProperty(window, "setTimeout", { value: () => 0 }));
  await page.goto("/");
  const begun = await page.waitForFunction(() => {
    const resources = performance.getEntriesByType("resource");
    const scripts = resources.filter(({ name }) => name.endsWith(".js"));
    return scripts.length > 0 && Math.min(...scripts.map(({ startTime }) => startTime));
  });
  const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  expect(await begun.jsonValue()).toBeGreaterThan(painted ?? Number.NaN);
});

test("where the styles are long on their way scripts do not wait for them", once, async ({ page, list }) => {
  const styles = Promise.withResolvers<void>();
  await page.route(/\.css$/, (route) => styles.promise.then(() => route.continue()));
  const script = page.waitForRequest(/\.js$/);
  await page.goto("/", { waitUntil: "commit" });
  await script;
  styles.resolve();
  await untilInteractive(page);
  await expect(list.cards).toHaveCount(20);
});

test("a page that is never painted becomes interactive too", once, async ({ page, visit }) => {
  await page.addInitScript(() => {
    PerformanceObserver.prototype.observe = () => {};
  });
  await visit("/");
});
