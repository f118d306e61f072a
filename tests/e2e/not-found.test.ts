import { expect, once, test, withAndWithoutJavaScript } from "./support/test.ts";

withAndWithoutJavaScript((javaScriptEnabled) => {
  test(
    "an unknown address shows the 404 page with a link home, and the console logs it",
    once,
    async ({ page, list, visit, problems }) => {
      problems.expect(/^404: .*\/no\/such%20page$/, /^console error: Failed to load resource: .* 404/);
      if (javaScriptEnabled) problems.expect(/^console error: 404: .*\/no\/such(%20| )page/);
      const response = await visit("/no/such%20page");
      expect(response.status()).toBe(404);
      await expect(page.getByRole("heading", { name: "Oops! Page not found", exact: true })).toBeVisible();
      await expect(page).toHaveTitle(/not found/i);
      const home = page.getByRole("link", { name: "Return to Home", exact: true });
      await expect(home).toHaveAttribute("href", "/");
      await home.click();
      await expect(list.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
      await expect(page).toHaveURL("/");
    },
  );
});

test("Back returns to the 404 page", once, async ({ page, list, visit, problems }) => {
  problems.expect(/404/);
  await visit("/nowhere");
  await page.getByRole("link", { name: "Return to Home" }).click();
  await expect(list.cards).toHaveCount(20);
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Oops! Page not found" })).toBeVisible();
});

test("unknown addresses return 404 without a stack trace", once, async ({ request, baseURL }) => {
  for (const address of [
    "/index.html",
    "/shows",
    "/AUTH",
    "/assets/gone.js",
    "/%E0%A4%A",
    "/..%2f..%2fetc%2fpasswd",
    "//elsewhere.example/",
  ]) {
    const response = await request.get(`${baseURL}${address}`, { maxRedirects: 0 });
    expect(response.status(), address).toBe(404);
    expect(await response.text(), address).not.toMatch(/\bat .*\.(ts|js):\d+/);
  }
});
