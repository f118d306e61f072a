import { YEAR } from "../../src/domain/programme.ts";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { LONG_DESCRIPTION, showIdOf } from "./support/programme.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect, widths } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

const TITLE = "Matinee 40";

test("a shared link leads to the show with its notes", async ({ page, context, ui, visit, environment }) => {
  await insertReviewsWithNotes(environment, TITLE, "yes", ["I was <i>picked</i>.", "So was I.\nTwice."]);
  await insertReviewsWithNotes(environment, TITLE, "no", ["Nobody asked me."]);
  await context.grantPermissions(["clipboard-write"]);
  await visit("/?search=matinee+40");
  const share = ui.card(TITLE).getByRole("link", { name: "Share", exact: true });
  await expect(share).toHaveAccessibleDescription(TITLE);
  await share.click();
  await expect(ui.toasts).toContainText("Link copied");
  const url = await share.evaluate((link: HTMLAnchorElement) => link.href);
  await test.step("Share opens the system's dialog where there is one", async () => {
    await page.evaluate(() => {
      navigator.share = async (shared) => void Object.assign(window, { shared });
    });
    await share.click();
    const shared = () => page.evaluate(() => Reflect.get(window, "shared"));
    await expect.poll(shared).toEqual({ title: TITLE, url });
  });
  await visit(url);
  await expect(ui.summary).toHaveText(`Showing 1-1 of 1 show for ${YEAR}`);
  const notes = ui.card(TITLE).locator(".open-notes");
  const texts = ["Nobody asked me.", "I was <i>picked</i>.", "So was I.\nTwice."];
  await expect(notes.getByRole("paragraph")).toHaveText(texts);
  await expectAccessible(page);
  const canonical = page.locator("link[rel=canonical]");
  await expect(canonical).toHaveAttribute("href", url);
  // The search is folded, and stays in use when the list replaces the page.
  await expect(ui.searchBox).toBeHidden();
  await page.getByText("Search", { exact: true }).click();
  await ui.searchBox.fill("matinee 4");
  await expect(page).toHaveURL("/?search=matinee+4");
  await expect(ui.searchBox).toBeFocused();
  await page.goBack();
  await expect(ui.searchBox).toBeHidden();
  await page.getByRole("link", { name: "All shows", exact: true }).click();
  await expect(page).toHaveURL("/");
  await expect(ui.cards).toHaveCount(20);
  await expect(page.locator("#shows")).toBeFocused();
  await expect(canonical).toHaveAttribute("href", new URL("/", url).href);
  await page.goBack();
  await expect(notes.first()).toContainText("Nobody asked me.");
  await expect(canonical).toHaveAttribute("href", url);
  await page.getByText("Search", { exact: true }).click();
  await ui.filter("No Interaction").click();
  await expect(page).toHaveURL("/?interaction=no");
});

test("a show's page has its whole description, a button soon, and notes beside each other", {
  tag: "@measures",
}, async ({ page, ui, visit, environment }) => {
  const title = "Matinee 45";
  for (const answer of ["no", "very_little", "yes"] as const)
    await insertReviewsWithNotes(environment, title, answer, [`We said ${answer}.`]);
  for (const width of [390, 1100, 1600]) {
    await page.setViewportSize({ width, height: 844 });
    await visit(`/?show=${showIdOf(title)}`);
    const boxesOf = (parts: string) =>
      ui
        .card(title)
        .locator(parts)
        .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().toJSON()));
    const [tallies, notes] = [await boxesOf(".tally"), await boxesOf(".open-notes")];
    expect(notes).toHaveLength(3);
    const isWide = width > 1056;
    expect(new Set(notes.map(({ y }) => y)).size).toBe(isWide ? 1 : 3);
    for (const [index, { left, right }] of notes.entries())
      if (isWide) {
        expect(Math.abs(left - tallies[index].left)).toBeLessThan(16);
        expect(right).toBeLessThan(tallies[index].right + 16);
      }
    expect(await overflowOf(page)).toBe(0);
    await visit(`/?show=${showIdOf("Thorough")}`);
    const clipped = ui
      .card("Thorough")
      .getByText(LONG_DESCRIPTION, { exact: true })
      .evaluate((text) => text.scrollHeight - text.clientHeight);
    expect(await clipped).toBe(0);
    const button = await ui.reviewButton(ui.card("Thorough")).boundingBox();
    expect(button?.y).toBeLessThan(1.5 * 844 - 44);
  }
});

test("all notes of one kind are read page by page", async ({ page, ui, visit, environment }) => {
  const title = "Matinee 41";
  const texts = Array.from({ length: 23 }, (_, index) => `Calm ${index + 1}`);
  await insertReviewsWithNotes(environment, title, "no", texts);
  await visit(`/?show=${showIdOf(title)}`);
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const shown = ui.card(title).locator(".note-box");
  await expect(shown).toHaveText(texts.slice(0, 5));
  await link("All 23 notes for No").press("Enter");
  await expect(page).toHaveTitle(`${title}, Notes for No – Front Row?`);
  await expect(shown).toHaveText(texts.slice(0, 20));
  await expect(page.locator("#shows")).toBeFocused();
  await expectAccessible(page);
  await link("Older").click();
  await expect(page).toHaveURL(`/?show=${showIdOf(title)}&notes=no&page=2`);
  await expect(shown).toHaveText(texts.slice(20));
  await shown.locator("xpath=../..").first().getByRole("button", { name: "Report" }).click();
  await expect(ui.dialog).toContainText("Calm 21");
  await page.keyboard.press("Escape");
  await link("Newer").click();
  await expect(shown).toHaveText(texts.slice(0, 20));
  await page.goBack();
  await expect(shown).toHaveText(texts.slice(20));
  await link("Back to the show").click();
  await expect(link("All 23 notes for No")).toBeVisible();
});

test("companies find HTML for their websites, and all of it fits", { tag: "@measures" }, async ({
  page,
  ui,
  visit,
  environment,
}) => {
  const title = "Matinee 43"; // its badge is wide: it names a tie
  for (const answer of ["no", "very_little", "yes"] as const)
    await insertReviewsWithNotes(environment, title, answer, ["1", "2"]);
  const html = page.getByRole("textbox", { name: /^HTML of a badge/ });
  for (const width of [320, ...widths]) {
    await page.setViewportSize({ width, height: 800 });
    await visit(`/?show=${showIdOf(title)}`);
    await expect(html).toBeHidden();
    await page.getByText("For your website", { exact: true }).click();
    await html.focus();
    const selected = html.evaluate((field: HTMLTextAreaElement) =>
      field.value.slice(field.selectionStart, field.selectionEnd),
    );
    expect(await selected).toBe(await html.inputValue());
    await expect(html).not.toBeEditable();
    expect(await overflowOf(page)).toBe(0);
    const copy = page.getByRole("button", { name: "Copy", exact: true });
    expect((await copy.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  await expectAccessible(page);
  const badge = page.getByRole("img", { name: "The badge", exact: true });
  const badgeWidth = () => badge.evaluate((image: HTMLImageElement) => image.naturalWidth);
  await expect.poll(badgeWidth).toBeGreaterThan(200);
  await test.step("and copy it", async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (copied) => void Object.assign(window, { copied });
    });
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(ui.toasts).toContainText("HTML copied");
    expect(await page.evaluate(() => Reflect.get(window, "copied"))).toBe(await html.inputValue());
  });
});

test("on paper a show begins on the first page, and the footer needs none", async ({
  page,
  visit,
  environment,
}) => {
  const title = "Matinee 44";
  await insertReviewsWithNotes(
    environment,
    title,
    "yes",
    Array(8).fill("We all sang in the second row. ".repeat(9)),
  );
  await visit(`/?show=${showIdOf(title)}`);
  // A printed page lists the addresses of its links.
  await page.getByRole("heading", { level: 3 }).evaluate((heading) => {
    const link = Object.assign(document.createElement("a"), { href: "https://card.example/" });
    link.append(...heading.childNodes);
    heading.append(link);
  });
  for (const height of ["11.7in", "8.3in", "7in"]) {
    const print = async (pageRanges: string) =>
      (await page.pdf({ width: "8.3in", height, pageRanges })).toString("latin1");
    expect(await print("1"), height).toContain("https://card.example/");
    expect(await print(""), height).not.toContain("api.edinburghfestivalcity.com");
  }
});
