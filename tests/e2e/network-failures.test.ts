import { YEAR } from "../../src/domain/programme.ts";
import { expect, test } from "./support/test.ts";

test("after two failures the list is empty until Try again", async ({ page, api, ui, visit, problems }) => {
  problems.expect(/^console error: Shows could not be loaded with their reviews/);
  problems.expect(/^failed: net::ERR_INTERNET_DISCONNECTED .*reviews=none/);
  problems.allow(/^failed: net::ERR_INTERNET_DISCONNECTED/);
  problems.allow(/^console error: (Shows could not|Failed to load resource)/);
  await visit("/");
  await api.respond("offline");
  await ui.filter("No Interaction").click();
  await expect(ui.notice.getByRole("paragraph")).toHaveText(
    "The list couldn't be loaded. Check your connection.",
  );
  await expect(ui.summary).toHaveText("No shows found");
  await expect(ui.cards).toHaveCount(0);
  await expect(ui.pagination).toHaveCount(0);
  await ui.searchBox.fill("evening");
  await expect(page).toHaveURL("/?search=evening&interaction=no");
  await expect(ui.notice).toHaveText(/^The list couldn't be loaded/);
  await expect(page.getByText(/Try adjusting your search terms|every 12 hours/)).toHaveCount(0);
  await expect(ui.searchBox).toHaveValue("evening");
  await api.restore();
  await ui.tryAgain.press("Enter");
  await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
  await expect(ui.notice).toHaveCount(0);
  await expect(page.locator("#shows")).toBeFocused();
});

test("without the network a list seen before is shown", async ({ page, api, ui, visit, problems }) => {
  problems.allow(/^failed: net::ERR_INTERNET_DISCONNECTED/, /^console error: /);
  await visit("/");
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText(`Showing 1-6 of 6 shows for ${YEAR}`);
  await api.respond("offline");
  await page.goBack();
  await expect(ui.notice).toHaveText(/^No connection\. This list is from \w{3} \d\d:\d\d\./);
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await expect(ui.cards.getByText(/\(\d+ reviews?\)/)).toHaveCount(20);
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText(`Showing 1-6 of 6 shows for ${YEAR}`);
  await expect(ui.notice).toHaveText(/^No connection\./);
  const announced = await ui.notice.getByRole("paragraph").elementHandle();
  await ui.tryAgain.click();
  await expect.poll(() => announced?.evaluate((text) => text.isConnected)).toBe(false);
  await expect(ui.notice).toHaveText(/^No connection\./);
  await ui.searchBox.fill("never seen");
  await expect(ui.notice).toHaveText(/^The list couldn't be loaded/);
  await api.restore();
  // Repeated, because an event during a request starts no other one.
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await expect(page.getByText("Try adjusting your search terms", { exact: true })).toBeVisible({
      timeout: 500,
    });
  }).toPass();
  await expect(ui.notice).toHaveCount(0);
});
