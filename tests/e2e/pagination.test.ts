import type { Locator } from "@playwright/test";
import { expect, once, soak, test, twice, withAndWithoutJavaScript } from "./support/test.ts";

/** Returns the pagination as text: the current page in brackets, disabled links in parentheses. */
function paginationText(pagination: Locator): Promise<string> {
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

withAndWithoutJavaScript((javaScriptEnabled, looked) => {
  test(
    "the numbered window has five pages, and the first and the last page are always there",
    looked,
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
        expect(await paginationText(list.pagination)).toBe(pages);
      }
    },
  );

  test("a single page has no pagination", looked, async ({ list, visit }) => {
    await visit("/?interaction=yes");
    await expect(list.cards).toHaveCount(6);
    await expect(list.pagination).toHaveCount(0);
  });

  test("Next, Previous and numbers lead to their pages", once, async ({ page, list, visit }) => {
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

  test("Previous and Next are disabled at the ends", looked, async ({ list, visit }) => {
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

  test(
    "pages keep the search and the filters",
    javaScriptEnabled ? once : soak,
    async ({ page, list, visit }) => {
      await visit("/?search=evening&interaction=no");
      await list.pageLink("Next page").click();
      await expect(list.summary).toHaveText('Showing 21-24 of 24 shows for 2025 matching "evening"');
      await expect(page).toHaveURL("/?search=evening&interaction=no&page=2");
      await expect(list.searchBox).toHaveValue("evening");
    },
  );
});

test(
  "a page change scrolls to the top of the list and moves the focus there",
  twice,
  async ({ page, list, visit }) => {
    await visit("/");
    const results = page.getByRole("region", { name: "Shows" });
    await list.pageLink("Next page").click();
    await expect(list.summary).toHaveText("Showing 21-40 of 130 shows for 2025");
    await expect(results).toBeFocused();
    await expect(list.summary).toBeInViewport({ ratio: 1 });
    await expect(list.card("Quiet Evening 13").getByRole("heading", { level: 3 })).toBeInViewport({
      ratio: 1,
    });
    await page.keyboard.press("Tab");
    await expect(list.card("Quiet Evening 13").getByRole("button")).toBeFocused();
  },
);

test("a change to the last page moves the focus to the list, too", soak, async ({ page, list, visit }) => {
  await visit("/?page=6");
  await list.pageLink("Next page").focus();
  await page.keyboard.press("Enter");
  await expect(list.summary).toHaveText("Showing 121-130 of 130 shows for 2025");
  await expect(page.getByRole("region", { name: "Shows" })).toBeFocused();
});

test("a page link can be opened in a new tab", once, async ({ page, context, list, visit }) => {
  await visit("/");
  const opened = context.waitForEvent("page");
  await list.pageLink(3).click({ modifiers: ["ControlOrMeta"] });
  await expect((await opened).getByRole("status")).toHaveText("Showing 41-60 of 130 shows for 2025");
  await expect(page).toHaveURL("/");
});

test("the later of two quick page changes wins", once, async ({ page, api, list, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*page=2$/);
  await visit("/");
  const held = await api.hold(/page=2$/);
  await list.pageLink(2).click();
  await expect.poll(held.waiting).toBe(1);
  await list.pageLink(3).click();
  await expect(list.summary).toHaveText("Showing 41-60 of 130 shows for 2025");
  await held.release();
  await list.pageLink(4).click();
  await expect(list.summary).toHaveText("Showing 61-80 of 130 shows for 2025");
  await expect(page).toHaveURL("/?page=4");
});
