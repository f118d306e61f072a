import { YEAR } from "../../src/domain/programme.ts";
import { expect, pauseClock, phone, test, watchTexts } from "./support/test.ts";

test("typing searches, and the focus stays in the box", async ({ page, ui, visit }) => {
  await page.clock.install();
  await visit("/");
  await pauseClock(page);
  const liveRegion = await ui.summary.elementHandle();
  await ui.searchBox.click();
  await page.keyboard.type("moth");
  await page.clock.runFor(300);
  await expect(ui.summary).toHaveText(`Showing 1-1 of 1 show for ${YEAR} matching "moth"`);
  await expect(ui.titles).toHaveText(["Moth Hour"]);
  await expect(ui.searchBox).toBeFocused();
  await expect(ui.searchBox).toHaveValue("moth");
  await expect(page).toHaveURL("/?search=moth");
  await page.keyboard.insertText("  <script> ");
  await page.keyboard.press("Enter");
  await expect(ui.searchBox).toHaveValue("moth");
  const clear = page.getByRole("button", { name: "Clear search", exact: true });
  await clear.click();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await expect(ui.searchBox).toBeFocused();
  await expect(clear).toHaveCount(0);
  await page.keyboard.insertText("x".repeat(120));
  await expect(ui.searchBox).toHaveValue("x".repeat(100));
  await page.clock.runFor(300);
  await expect(ui.summary).toHaveText("No shows found");
  await test.step("in one live region, from the start", async () => {
    await expect(page.getByRole("status")).toHaveCount(1);
    expect(await ui.summary.evaluate((node, first) => node === first, liveRegion)).toBe(true);
  });
});

test("a pasted address longer than the box finds its show, or says that none has it", async ({
  page,
  ui,
  visit,
}) => {
  await visit("/");
  const website = await ui.titles.first().getByRole("link").getAttribute("href");
  const title = (await ui.titles.first().textContent()) ?? "";
  const paste = (text: string) =>
    ui.searchBox.evaluate((box, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", pasted);
      box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  await paste(`${"Come! ".repeat(20)}${website}?utm_source=${"x".repeat(99)}`);
  await expect(ui.summary).toContainText("Showing 1-1 of 1 show");
  await expect(ui.titles).toHaveText([title]);
  await paste("https://other.example/hats#map");
  await expect(page.getByText("No show has the ticket page “https://other.example/hats#map”.")).toBeVisible();
});

test.describe("on a phone", () => {
  test.use(phone);

  test("the Search key leaves the box, so that the keyboard closes", async ({ page, ui, visit }) => {
    await page.clock.install();
    await visit("/");
    await pauseClock(page);
    await ui.searchBox.fill("moth");
    await ui.searchBox.press("Enter");
    await expect(ui.summary).toContainText('matching "moth"');
    await expect(ui.searchBox).not.toBeFocused();
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect(ui.searchBox).toBeFocused();
  });
});

test("an unfinished syllable of an input method is not searched for", async ({ page, api, ui, visit }) => {
  await page.clock.install();
  await visit("/");
  await pauseClock(page);
  await ui.searchBox.focus();
  const devTools = await page.context().newCDPSession(page);
  const compose = (text: string) =>
    devTools.send("Input.imeSetComposition", {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    });

  for (const syllable of ["ㅎ", "하", "한"]) {
    await compose(syllable);
    await page.clock.runFor(1_000);
  }
  expect(api.queries).toEqual([]);
  await devTools.send("Input.insertText", { text: "한" });
  await page.clock.runFor(300);
  await expect(ui.summary).toHaveText("No shows found");
  await ui.searchBox.clear();
  // An unfinished Latin word is searched for.
  for (const word of ["mo", "moth"]) {
    await compose(word);
    await page.clock.runFor(300);
    await expect(ui.summary).toContainText(`matching "${word}"`);
  }
  await expect(ui.searchBox).toHaveValue("moth");
  expect(api.queries.map(decodeURIComponent)).toEqual(["?search=한", "?search=mo", "?search=moth"]);
});

test("a late response replaces neither a newer one nor text", async ({ page, api, ui, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*search=m$/);
  await page.clock.install();
  await visit("/");
  const summaries = await watchTexts(ui.summary);
  const stale = await api.hold(/search=m$/);
  await ui.searchBox.fill("m");
  await expect.poll(stale.waiting).toBe(1);
  await ui.searchBox.fill("moth");
  await expect(ui.summary).toContainText('matching "moth"');
  await stale.release();
  await ui.searchBox.fill("tea");
  await expect(ui.summary).toContainText('matching "tea"');
  expect(await summaries()).toEqual([
    `Showing 1-20 of 130 shows for ${YEAR}`,
    `Showing 1-1 of 1 show for ${YEAR} matching "moth"`,
    `Showing 1-2 of 2 shows for ${YEAR} matching "tea"`,
  ]);
  await test.step("text typed meanwhile stays in the box", async () => {
    await pauseClock(page);
    const held = await api.hold(/search=q$/);
    await ui.searchBox.fill("q");
    await page.clock.runFor(300);
    await expect.poll(held.waiting).toBe(1);
    await ui.searchBox.pressSequentially("uiet");
    await held.release();
    await expect(ui.summary).toContainText('matching "q"');
    await expect(ui.searchBox).toHaveValue("quiet");
    await page.clock.runFor(300);
    await expect(ui.summary).toContainText('matching "quiet"');
    await expect(ui.searchBox).toHaveValue("quiet");
  });
});

test("a search starts once, 300 ms after the last keystroke", async ({ page, api, ui, visit }) => {
  await page.clock.install();
  await visit("/?page=2");
  await pauseClock(page);
  await test.step("text typed and deleted meanwhile is not searched for", async () => {
    await ui.searchBox.pressSequentially("m");
    await ui.searchBox.press("Backspace");
    await ui.searchBox.pressSequentially("  ");
    await page.clock.runFor(5_000);
    await ui.searchBox.clear();
    await page.clock.runFor(5_000);
    expect(api.queries).toEqual([]);
    await expect(page).toHaveURL("/?page=2");
  });
  await test.step("300 ms after the last keystroke, from page 1", async () => {
    await ui.searchBox.pressSequentially("mot");
    await page.clock.runFor(299);
    await ui.searchBox.pressSequentially("h");
    await page.clock.runFor(299);
    expect(api.queries).toEqual([]);
    await page.clock.runFor(1);
    await expect(ui.summary).toContainText('matching "moth"');
    await page.clock.runFor(5_000);
    expect(api.queries).toEqual(["?search=moth"]);
  });
  await test.step("or at once by Enter", async () => {
    await ui.searchBox.fill("tea");
    await ui.searchBox.press("Enter");
    await expect(ui.summary).toContainText('matching "tea"');
    await page.clock.runFor(5_000);
    expect(api.queries.slice(1)).toEqual(["?search=tea"]);
    await expect(ui.searchBox).toBeFocused();
  });
  await test.step("or by a filter, which applies the typed text, too", async () => {
    await ui.searchBox.fill("evening");
    await ui.filter("No Interaction").click();
    await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
    await expect(page).toHaveURL("/?search=evening&interaction=no");
    await expect(ui.searchBox).toHaveValue("evening");
    await page.clock.runFor(5_000);
    expect(api.queries.slice(2)).toEqual(["?search=evening&interaction=no"]);
  });
  await test.step("an empty box restores all shows, and the filters stay", async () => {
    await ui.searchBox.fill("");
    await page.clock.runFor(300);
    await expect(ui.summary).toHaveText(`Showing 1-20 of 28 shows for ${YEAR}`);
    await expect(page).toHaveURL("/?interaction=no");
    await expect(ui.filter("No Interaction")).toHaveAttribute("aria-pressed", "true");
  });
  await test.step("a filter right after emptying the box does not restore the text", async () => {
    await ui.searchBox.fill("tea");
    await page.clock.runFor(300);
    await expect(page).toHaveURL("/?search=tea&interaction=no");
    await ui.searchBox.fill("");
    await ui.filter("Lots of Interaction").click();
    await expect(page).toHaveURL("/?interaction=no&interaction=yes");
    await page.clock.runFor(5_000);
    await expect(ui.searchBox).toHaveValue("");
    expect(api.queries.at(-1)).toBe("?interaction=no&interaction=yes");
  });
});
