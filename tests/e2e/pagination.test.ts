import type { Locator } from "@playwright/test";
import { expect, once, test, twice, withAndWithoutJavaScript } from "./support/test.ts";

/** A pagination as it reads: the current page in brackets, what is disabled in parentheses. */
function drawn(pagination: Locator): Promise<string> {
  return pagination.evaluate((nav) =>
    [...nav.querySelectorAll("a, [role=link], li:not(:has(a))")]
      .map((part) => {
        const text = part.textContent?.trim();
        if (part.getAttribute("aria-current") === "page") return `[${text}]`;
        return part.getAttribute("aria-disabled") === "true" ? `(${text})` : text;
      })
      .join(" "),
  );
}

withAndWithoutJavaScript(() => {
  test(
    "five pages stand around the current one, the first and the last are always there",
    twice,
    async ({ list, visit }) => {
      for (const [address, pages] of [
        ["/", "(Previous) [1] 2 3 4 5 … 7 Next"],
        ["/?page=3", "Previous 1 2 [3] 4 5 … 7 Next"],
        ["/?page=4", "Previous 1 2 3 [4] 5 6 7 Next"],
        ["/?page=7", "Previous 1 … 3 4 5 6 [7] (Next)"],
        ["/?search=matinee&page=5", "Previous 1 2 3 4 [5] (Next)"],
        ["/?interaction=no", "(Previous) [1] 2 Next"],
      ] as const) {
        await visit(address);
        expect(await drawn(list.pagination)).toBe(pages);
      }
    },
  );

  test("there is none for a single page", once, async ({ list, visit }) => {
    await visit("/?interaction=yes");
    await expect(list.cards).toHaveCount(6);
    await expect(list.pagination).toHaveCount(0);
  });

  test("next, previous and numbers lead to their pages", twice, async ({ page, list, visit }) => {
    await visit("/");
    await list.pageLink("Next page").click();
    await expect(list.summary).toHaveText("Showing 21-40 of 130 shows for 2025");
    await expect(page).toHaveURL("/?page=2");
    await list.pageLink(7).click();
    await expect(list.summary).toHaveText("Showing 121-130 of 130 shows for 2025");
    await expect(list.pagination.locator("[aria-current=page]")).toHaveText(["7"]);
    await list.pageLink("Previous page").click();
    await expect(page).toHaveURL("/?page=6");
    await list.pageLink(1).click();
    await expect(list.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
    await expect(page).toHaveURL("/");
  });

  test("at the ends Previous and Next lead nowhere, and say so", once, async ({ list, visit }) => {
    for (const [address, name, other] of [
      ["/", "Previous page", "Next page"],
      ["/?page=7", "Next page", "Previous page"],
    ] as const) {
      await visit(address);
      await expect(list.pageLink(name)).toHaveAttribute("aria-disabled", "true");
      await expect(list.pageLink(name)).not.toHaveAttribute("href");
      await expect(list.pageLink(other)).toBeEnabled();
    }
  });

  test("pages keep the search and the filters", once, async ({ page, list, visit }) => {
    await visit("/?search=evening&interaction=no");
    await list.pageLink("Next page").click();
    await expect(list.summary).toHaveText('Showing 21-24 of 24 shows for 2025 matching "evening"');
    await expect(page).toHaveURL("/?search=evening&interaction=no&page=2");
    await expect(list.box).toHaveValue("evening");
  });
});

test("a turned page begins at its top, and the keyboard goes on from there", twice, async ({ page, list, visit }) => {
  await visit("/");
  const results = page.getByRole("region", { name: "Shows" });
  await list.pageLink("Next page").click();
  await expect(list.summary).toHaveText("Showing 21-40 of 130 shows for 2025");
  await expect(results).toBeFocused();
  await expect(list.summary).toBeInViewport({ ratio: 1 });
  await expect(list.card("Quiet Evening 13").getByRole("heading", { level: 3 })).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Tab");
  await expect(list.card("Quiet Evening 13").getByRole("button")).toBeFocused();
});

test("a page that is turned to its last one is where the focus goes, too", once, async ({ page, list, visit }) => {
  await visit("/?page=6");
  await list.pageLink("Next page").focus();
  await page.keyboard.press("Enter");
  await expect(list.summary).toHaveText("Showing 121-130 of 130 shows for 2025");
  await expect(page.getByRole("region", { name: "Shows" })).toBeFocused();
});

test("pages are links that open in a tab of their own, too", once, async ({ page, context, list, visit }) => {
  await visit("/");
  const opened = context.waitForEvent("page");
  await list.pageLink(3).click({ modifiers: ["ControlOrMeta"] });
  await expect((await opened).getByRole("status")).toHaveText("Showing 41-60 of 130 shows for 2025");
  await expect(page).toHaveURL("/");
});

test("the last of two pages turned quickly is shown", once, async ({ page, api, list, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*page=2$/);
  await visit("/");
  const second = await api.hold(/page=2$/);
  await list.pageLink(2).click();
  await expect.poll(second.waiting).toBe(1);
  await list.pageLink(3).click();
  await expect(list.summary).toHaveText("Showing 41-60 of 130 shows for 2025");
  await second.release();
  await list.pageLink(4).click();
  await expect(list.summary).toHaveText("Showing 61-80 of 130 shows for 2025");
  await expect(page).toHaveURL("/?page=4");
});
