import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The rules whose outcome the colours decide. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** Expects that axe finds nothing against WCAG 2.2 AA and its own best practices, on light and on dark paper. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  expect(await violations(page, { type: "tag", values: tags }), "axe finds nothing on light paper").toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await violations(page, { type: "rule", values: colourRules }), "axe finds nothing on dark paper").toEqual([]);
}

async function violations(page: Page, runOnly: { type: "tag" | "rule"; values: string[] }) {
  // Otherwise it opens a page of its own to put together what it found in frames, and there are none.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await axe.options({ runOnly, resultTypes: ["violations"] }).analyze();
  return violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ html }) => html) }));
}
