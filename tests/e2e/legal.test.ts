import { localStorageKeys } from "../../src/legal/stored-data.ts";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { expect } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

test.describe("on a screen 320 px wide", () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test("terms and privacy are accessible, and every footer fits", { tag: "@measures" }, async ({
    page,
    problems,
  }) => {
    problems.expect(/404/);
    for (const address of ["/terms", "/privacy", "/", "/auth", "/nowhere"]) {
      await page.goto(address);
      expect(await overflowOf(page), address).toBe(0);
      const footer = page.getByRole("contentinfo");
      await footer.scrollIntoViewIfNeeded();
      const boxes = await footer
        .getByRole("link")
        .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().toJSON()));
      expect(boxes).toHaveLength(6);
      for (const { width, height } of boxes) expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
      if (address === "/terms" || address === "/privacy") await expectAccessible(page);
      if (address !== "/privacy") continue;
      const kept = page.getByText(localStorageKeys[0]?.what ?? "", { exact: true });
      await expect(kept).toBeHidden();
      await page.emulateMedia({ media: "print" });
      await expect(kept).toBeVisible();
      await page.emulateMedia({ media: "screen" });
    }
  });
});
