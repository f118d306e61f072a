import type { Locator } from "@playwright/test";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast, recordReviewWrites, reviewsOf, thanks } from "./support/review-ui.ts";
import { expect, holdScripts } from "./support/test.ts";
import { expectOnTop } from "./support/ui.ts";

test("on small screens the dialog fits, above an on-screen keyboard too", { tag: "@measures" }, async ({
  page,
  ui,
  email,
}) => {
  await ui.openSignedIn(email, "/?search=exhaustive");
  const { dialog, submit, cancel } = ui;
  const button = ui.reviewButton(ui.cards);
  // The first is a screen of 1280 by 1024 px at 400 %, the second a phone's above its keyboard.
  for (const [width, height] of [
    [320, 256],
    [360, 300],
    [320, 568],
    [360, 640],
    [390, 664],
    [640, 360],
  ] as const) {
    await page.setViewportSize({ width, height });
    await button.click();
    await expect(dialog.getByRole("heading")).toBeInViewport();
    await expect(dialog.locator(":focus")).toBeInViewport();
    const box = await dialog.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    const form = dialog.locator("form");
    expect(await form.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    for (const part of [cancel, submit]) await expectOnTop(part);
    await cancel.click();
  }
  await page.setViewportSize({ width: 360, height: 640 });
  await button.click();
  await ui.notes.focus();
  const bottomOf = async (part: Locator) => {
    const box = await part.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 1_000);
  };
  const setViewport = (height: number, offsetTop: number) =>
    page.evaluate(
      (values) => {
        for (const [name, value] of Object.entries(values))
          Object.defineProperty(visualViewport, name, { value, configurable: true });
        for (const event of ["resize", "scroll"]) visualViewport?.dispatchEvent(new Event(event));
      },
      { height, offsetTop },
    );
  await setViewport(300, 0);
  expect(await bottomOf(ui.notes)).toBeLessThanOrEqual(300);
  expect(await bottomOf(submit)).toBeLessThanOrEqual(300);
  // On iOS an offset stays after the keyboard has closed. It must move nothing.
  await setViewport(640, 0);
  const resting = await dialog.boundingBox();
  for (const [height, offsetTop] of [
    [640, 26],
    [614, 26],
  ] as const) {
    await setViewport(height, offsetTop);
    expect(await dialog.boundingBox()).toEqual(resting);
  }
  await setViewport(330, 90);
  expect((await dialog.boundingBox())?.y).toBeGreaterThanOrEqual(90);
  expect(await bottomOf(dialog)).toBeLessThanOrEqual(420);
});

test("the page behind the dialog stays where it was", async ({ page, ui, email }) => {
  await ui.openSignedIn(email);
  const button = ui.reviewButton(ui.cards.nth(6));
  await button.scrollIntoViewIfNeeded();
  const place = () => button.evaluate((node) => [window.scrollY, node.getBoundingClientRect().x]);
  const before = await place();
  expect(before[0]).toBeGreaterThan(0);
  await button.click();
  await expect(ui.dialog).toBeVisible();
  for (const key of ["PageDown", "End", "PageUp", "Home", "Space"]) await page.keyboard.press(key);
  await page.mouse.move(5, 5);
  await page.mouse.wheel(0, 500);
  await ui.dialog.hover({ position: { x: 20, y: 20 } });
  await page.mouse.wheel(0, 2_000);
  // The wheel scrolls in a later frame: this one's scroll follows in another.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await place()).toEqual(before);
  await ui.cancel.click();
  await expect(button).toBeFocused();
  expect(await place()).toEqual(before);
});

test("a review counts at once, and a second one replaces it", async ({ page, ui, email, environment }) => {
  await ui.openSignedIn(email, "/?search=matinee+11");
  const card = ui.card("Matinee 11");
  await expect(card).toContainText("(0 reviews)");
  await ui.open(card);
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill("  They asked\nfor <b>volunteers</b>.  ");
  const requests: string[] = [];
  page.on("request", (request) => /\/api\/reviews\?/.test(request.url()) && requests.push(request.url()));
  await ui.submit.click();
  await expectToast(page, thanks, "status");
  await expect(card).toContainText("(1 review)");
  await expect(card).toContainText("Most common: Yes");
  await expect(card.getByText("You reviewed this show ✓", { exact: true })).toBeVisible();
  await ui.notesButton(card, "1 note for Yes").hover();
  const notes = "They asked\nfor <b>volunteers</b>.";
  await expect(ui.noteTexts(card)).toHaveText(notes, { useInnerText: true });
  const expected = [{ title: "Matinee 11", audience_interaction: "yes", notes }];
  expect(await reviewsOf(environment, email)).toEqual(expected);
  await page.mouse.move(0, 0);
  await ui.reviewButton(card).click();
  await ui.notes.fill("  \n ");
  await ui.submit.click();
  await expect(card).toContainText("Most common: No");
  await expect(card).toContainText("(1 review)");
  await expect(ui.notesButton(card, "1 note for Yes")).toHaveCount(0);
  expect(requests).toEqual([]);
  expect(await reviewsOf(environment, email)).toEqual([
    { title: "Matinee 11", audience_interaction: "no", notes: null },
  ]);
  const release = await holdScripts(page, /\/api\/reviews\/mine/);
  await page.reload();
  await ui.signOutButton.waitFor();
  const place = await ui.reviewButton(card).boundingBox();
  release();
  await expect(card.getByText("You reviewed this show ✓", { exact: true })).toBeVisible();
  expect(await ui.reviewButton(card).boundingBox()).toEqual(place);
  await ui.signOutButton.click();
  await expect(card.getByText("You reviewed this show")).toHaveCount(0);
});

test("a review is written by keyboard alone, and sent once", async ({ page, ui, email, environment }) => {
  await ui.openSignedIn(email, "/?search=matinee+12");
  const sent = recordReviewWrites(page);
  const button = ui.reviewButton(ui.card("Matinee 12"));
  await button.focus();
  // A held key opens the dialog, and sends nothing.
  for (let press = 0; press < 2; press++) {
    await page.keyboard.down("Enter");
    await expect(ui.interactionOption("No audience interaction")).toBeFocused();
  }
  await page.keyboard.up("Enter");
  expect(sent).toEqual([]);
  await page.keyboard.press("ArrowDown");
  await expect(ui.interactionOption("Very little interaction")).toBeChecked();
  await page.keyboard.press("Tab");
  await expect(ui.notes).toBeFocused();
  await page.keyboard.type("Clapping.");
  for (const stop of [ui.cancel, ui.submit]) {
    await page.keyboard.press("Tab");
    await expect(stop).toBeFocused();
  }
  for (let stop = 0; stop < 8; stop++) {
    await page.keyboard.press("Tab");
    const outside = await page.evaluate(
      () => document.activeElement !== document.body && !document.activeElement?.closest("dialog"),
    );
    expect(outside).toBe(false);
  }
  await ui.submit.focus();
  // A held key neither sends twice nor opens the dialog again.
  await page.keyboard.down("Enter");
  await expectToast(page, thanks, "status");
  await expect(button).toBeFocused();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await expect(ui.dialog).toHaveCount(0);
  expect(sent).toHaveLength(1);
  const expected = [{ title: "Matinee 12", audience_interaction: "very_little", notes: "Clapping." }];
  expect(await reviewsOf(environment, email)).toEqual(expected);
});

test("typing stops at 1000 characters, what is pasted stays whole", async ({ page, ui, email }) => {
  await ui.signInAndOpen(email, "Moth Hour");
  await ui.notes.fill("x".repeat(999));
  await page.keyboard.press("End");
  await page.keyboard.type("more");
  await expect(ui.counter).toHaveText("1000/1000 characters");
  await ui.notes.fill("x".repeat(600));
  for (const keys of ["ControlOrMeta+A", "ControlOrMeta+C", "End", "ControlOrMeta+V"])
    await page.keyboard.press(keys);
  await expect(ui.counter).toHaveText("1200/1000 characters");
  await page.keyboard.press("ControlOrMeta+Z");
  await expect(ui.counter).toHaveText("600/1000 characters");
  await page.keyboard.press("ControlOrMeta+Shift+Z");
  await expect(ui.counter).toHaveText("1200/1000 characters");
  await page.keyboard.type("more");
  await expect(ui.notes).toHaveAccessibleDescription(/^Notes cannot exceed 1000 characters/);
  await expect(ui.notes).toHaveValue("x".repeat(1200));
  await expectAccessible(page);
});

test("a failure is a line above the buttons of the dialog, and moves none", { tag: "@measures" }, async ({
  page,
  ui,
  email,
  problems,
}) => {
  problems.allow(/^console error: Failed to load resource/, /^failed: .*INTERNET_DISCONNECTED/);
  await ui.signInAndOpen(email, "Matinee 15");
  await page.route("**/api/reviews", (route) => route.abort("internetdisconnected"));
  const later = ui.dialog.getByRole("button", { name: "Send when I'm back online" });
  for (const [width, height] of [
    [320, 568],
    [390, 664],
    [390, 844],
    [1100, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expectOnTop(ui.submit);
    const before = await ui.submit.boundingBox();
    if (!before) throw new Error("Submit has no box");
    // Not `click`, which may scroll before it presses.
    await page.mouse.click(before.x + before.width / 2, before.y + before.height / 2);
    await expect(later).toBeInViewport({ ratio: 1 });
    await expectOnTop(later);
    await expectOnTop(ui.submit);
    expect(await ui.submit.boundingBox()).toEqual(before);
    const [line, above] = [await ui.toasts.boundingBox(), await ui.cancel.boundingBox()];
    const gap = (above?.y ?? 0) - (line?.y ?? 0) - (line?.height ?? 0);
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThan(16);
  }
  await page.setViewportSize({ width: 320, height: 320 });
  await ui.submit.focus();
  await ui.notes.focus();
  // As when an on-screen keyboard opens.
  await ui.notes.evaluate((node) => node.scrollIntoView({ block: "nearest" }));
  await expectOnTop(ui.notes);
  await ui.submit.focus();
  await expectToast(page, ["Error", "Failed to submit review. Please try again."]);
  await expect(ui.toasts.getByRole("alert")).toBeInViewport({ ratio: 1 });
  await expect(ui.toasts.getByRole("button", { name: "Dismiss notification" })).toBeInViewport();
  await expect(ui.submit).toBeFocused();
  await expectAccessible(page);
});

test("the second click of a double click does nothing in the dialog", async ({ page, ui, email }) => {
  const button = ui.reviewButton(await ui.signInAndOpen(email, "Sit Back"));
  const sent = recordReviewWrites(page);
  const points: { x: number; y: number }[] = [];
  for (const part of [ui.interactionOption("Yes, significant interaction"), ui.cancel, ui.submit]) {
    const box = await part.boundingBox();
    if (box) points.push({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  }
  await ui.cancel.click();
  expect(points).toHaveLength(3);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Animation.enable");
  for (const { x, y } of points) {
    // The dialog ignores clicks during its animation. Pausing it lets the click come in time.
    await devtools.send("Animation.setPlaybackRate", { playbackRate: 0 });
    await button.evaluate((node) => (node instanceof HTMLElement ? node.click() : undefined));
    await expect(ui.submit).toBeVisible();
    await page.mouse.click(x, y);
    await expect(ui.submit).toBeVisible();
    await expect(ui.interactionOption("No audience interaction")).toBeChecked();
    await devtools.send("Animation.setPlaybackRate", { playbackRate: 1 });
    await ui.cancel.click();
  }
  expect(sent).toEqual([]);
});
