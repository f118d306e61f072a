import { YEAR } from "../../src/domain/programme.ts";
import { expect, test } from "./support/test.ts";

test("an error while rendering shows a page that leads home", async ({ page, ui, visit, problems }) => {
  problems.expect(/^console error: .*React error #31/);
  await page.route("/api/shows?page=2", async (route) => {
    const list = await (await route.fetch()).json();
    const broken = { ...list.shows[0], title: { broken: "on purpose" } };
    await route.fulfill({ json: { ...list, shows: [broken] } });
  });
  await visit("/");
  await ui.pageLink(2).click();
  await expect(page.getByRole("heading", { name: "Something went wrong", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Return to Home", exact: true }).click();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
});

const faults: [where: string, breakPage: () => void][] = [
  [
    "while the page hydrates",
    () => {
      URLSearchParams.prototype.set = () => {
        throw new TypeError("Broken on purpose");
      };
    },
  ],
  [
    "in the router itself",
    () => {
      history.replaceState = () => {
        throw new TypeError("Broken on purpose");
      };
    },
  ],
];

for (const [where, breakPage] of faults) {
  test(`an error ${where} leaves the server's page, which works`, async ({ page, ui, problems }) => {
    problems.expect(/^console error: .*Broken on purpose/);
    problems.allow(/^uncaught: Broken on purpose/);
    await page.addInitScript(breakPage);
    await page.goto("/?interaction=no");
    await expect(page.getByRole("button", { name: "Sign In" })).toBeHidden();
    await expect(page).toHaveTitle(/^No Interaction/);
    await expect(ui.summary).toHaveText(`Showing 1-20 of 28 shows for ${YEAR}`);
    await ui.pageLink("Next page").click();
    await expect(ui.summary).toHaveText(`Showing 21-28 of 28 shows for ${YEAR}`);
    await ui.filter("Lots of Interaction").click();
    await expect(page).toHaveURL("/?interaction=no&interaction=yes");
  });
}
