import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const colourRules = ["color-contrast", "link-in-text-block"];

/** Expects no violation of WCAG 2.2 AA and axe's best practices, in both colour schemes. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const inLight = await violations(page, { type: "tag", values: tags });
  expect(inLight, "axe violations in the light colour scheme").toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = await violations(page, { type: "rule", values: colourRules }, AXE_IS_LOADED);
  expect(inDark, "axe violations in the dark colour scheme").toEqual([]);
}

/** Replaces axe's source, half a megabyte, in a page that has run it before. */
const AXE_IS_LOADED = "window.axe";

type Rules = { type: "tag" | "rule"; values: string[] };

async function violations(page: Page, runOnly: Rules, axeSource?: string) {
  // Without legacy mode axe opens another page to merge the results of frames, and there are none.
  const axe = new AxeBuilder({ page, ...(axeSource && { axeSource }) }).setLegacyMode();
  const { violations } = await axe.options({ runOnly, resultTypes: ["violations"] }).analyze();
  return violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ html }) => html) }));
}
