import type { Locator } from "@playwright/test";
import { sql } from "kysely";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import {
  expectToast,
  holdReviewWrites,
  recordReviewWrites,
  reviewsOf,
  toasts,
  waitUntilCounted,
} from "./support/review-ui.ts";
import { expect, phone, soak, widths } from "./support/test.ts";
import { expectOnTop, overflowOf, uiOf } from "./support/ui.ts";

test("the dialog shows the question and its options, and starts with no and empty notes", async ({
  page,
  ui,
  email,
  visit,
}) => {
  await ui.signIn(email);
  await visit("/?search=moth");
  const button = ui.reviewButton(ui.card("Moth Hour"));
  await button.click();
  const { dialog, interactionOption, notes, counter, submit, cancel } = ui;
  await expect(page.getByRole("dialog", { name: "Review: Moth Hour", exact: true })).toBeVisible();
  await expect(dialog.getByText("by Wren Halloway", { exact: true })).toBeVisible();
  const question = dialog.getByRole("group", {
    name: "Did this show involve audience interaction?",
    exact: true,
  });
  await expect(question.getByRole("radio")).toHaveCount(3);
  for (const [name, meaning] of [
    ["No audience interaction", "traditional performance with no audience participation"],
    ["Very little interaction", "minimal participation such as clapping, cheering or simple responses"],
    [
      "Yes, significant interaction",
      "active participation required, such as volunteers, conversation or physical involvement",
    ],
  ] as const) {
    await expect(interactionOption(name)).toHaveAccessibleDescription(meaning);
    await expect(question.getByText(meaning, { exact: true })).toBeVisible();
  }
  await expect(interactionOption("No audience interaction")).toBeChecked();
  await expect(interactionOption("No audience interaction")).toBeFocused();
  await expect(notes).toHaveValue("");
  await expect(counter).toHaveText("0/1000 characters");
  await expect(notes).toHaveAccessibleDescription(
    "0/1000 characters Helpful: where did you sit? Did anybody near you get picked? Please name nobody.",
  );
  await interactionOption("Yes, significant interaction").check();
  await expect(notes).toHaveAccessibleDescription(
    "0/1000 characters Helpful: where did the people who were picked sit? Could they say no? What were they asked to do? " +
      "Please name nobody.",
  );
  await expect(submit).toBeVisible();
  await expect(dialog.getByText(/replaces/)).toHaveCount(0);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await expectAccessible(page);
  }
  // As high as a phone's screen above its keyboard.
  await page.setViewportSize({ width: 360, height: 300 });
  await notes.focus();
  await submit.click({ trial: true });
  await expect(submit).toBeInViewport({ ratio: 1 });
  await cancel.click();
  await expect(dialog).toHaveCount(0);
  await expect(button).toBeFocused();
});

test("on small screens the dialog starts at its title and fits, above an on-screen keyboard too", async ({
  page,
  ui,
  email,
  visit,
}) => {
  await ui.signIn(email);
  await visit("/?search=exhaustive");
  const { dialog, submit, cancel } = ui;
  const title = dialog.getByRole("heading");
  // The first is a screen of 1280 by 1024 px at 400 %.
  for (const [width, height] of [
    [320, 256],
    [320, 480],
    [360, 640],
    [640, 360],
  ] as const) {
    await page.setViewportSize({ width, height });
    await ui.reviewButton(ui.cards).click();
    await expect(title).toBeInViewport();
    await expect(dialog.locator(":focus")).toBeInViewport();
    const box = await dialog.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    const form = dialog.locator("form");
    expect(await form.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    await submit.scrollIntoViewIfNeeded();
    await expect(submit).toBeInViewport({ ratio: 1 });
    await cancel.click();
  }
  await page.setViewportSize({ width: 360, height: 640 });
  await ui.reviewButton(ui.cards).click();
  await ui.notes.focus();
  await page.evaluate(() => {
    Object.defineProperty(visualViewport, "height", { get: () => 300, configurable: true });
    visualViewport?.dispatchEvent(new Event("resize"));
  });
  const bottomOf = async (part: Locator) => {
    const box = await part.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 1_000);
  };
  expect(await bottomOf(ui.notes)).toBeLessThanOrEqual(300);
  await submit.scrollIntoViewIfNeeded();
  expect(await bottomOf(submit)).toBeLessThanOrEqual(300);

  // An offset that stays when the keyboard has closed, as on iOS, moves nothing.
  const setViewport = (height: number, offsetTop: number) =>
    page.evaluate(
      (values) => {
        for (const [name, value] of Object.entries(values))
          Object.defineProperty(visualViewport, name, { get: () => value, configurable: true });
        visualViewport?.dispatchEvent(new Event("resize"));
        visualViewport?.dispatchEvent(new Event("scroll"));
      },
      { height, offsetTop },
    );
  await setViewport(640, 0);
  const resting = await ui.dialog.boundingBox();
  for (const [height, offsetTop] of [
    [640, 26],
    [614, 26],
  ] as const) {
    await setViewport(height, offsetTop);
    expect(await ui.dialog.boundingBox()).toEqual(resting);
  }
  await setViewport(330, 90);
  expect((await ui.dialog.boundingBox())?.y).toBeGreaterThanOrEqual(90);
  expect(await bottomOf(ui.dialog)).toBeLessThanOrEqual(420);
});

test("the page behind the dialog does not scroll, and stays where it was", async ({
  page,
  ui,
  email,
  visit,
}) => {
  await ui.signIn(email);
  await visit("/");
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

test("a review is stored and counted at once, and a second one replaces it", async ({
  page,
  ui,
  email,
  visit,
  environment,
}) => {
  await ui.signIn(email);
  await visit("/?search=matinee+11");
  const card = ui.card("Matinee 11");
  await expect(card).toContainText("(0 reviews)");
  await ui.reviewButton(card).click();
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill("  They asked\nfor <b>volunteers</b>.  ");
  const notesRequests: string[] = [];
  page.on(
    "request",
    (request) => /\/api\/reviews\?/.test(request.url()) && notesRequests.push(request.url()),
  );
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  await expectAccessible(page);
  await expect(ui.dialog).toHaveCount(0);
  await expect(ui.reviewButton(card)).toBeFocused();
  await expect(card).toContainText("(1 review)");
  await expect(card).toContainText("Most common: Yes");
  await expect(card.getByText("You reviewed this show ✓", { exact: true })).toBeVisible();
  await ui.notesButton(card, "1 note for Yes").hover();
  await expect(ui.noteTexts(card)).toHaveText("They asked\nfor <b>volunteers</b>.", {
    useInnerText: true,
  });
  expect(await reviewsOf(environment, email)).toEqual([
    { title: "Matinee 11", audience_interaction: "yes", notes: "They asked\nfor <b>volunteers</b>." },
  ]);
  await page.mouse.move(0, 0);

  await ui.reviewButton(card).click();
  await expect(ui.interactionOption("No audience interaction")).toBeChecked();
  await expect(ui.notes).toHaveValue("");
  await expect(ui.dialog.getByText(/replaces your earlier review/)).toBeVisible();
  await expectAccessible(page);
  await ui.notes.fill("  \n ");
  await ui.submit.click();
  await expect(card).toContainText("Most common: No");
  await expect(card).toContainText("(1 review)");
  await expect(ui.notesButton(card, "1 note for Yes")).toHaveCount(0);
  expect(notesRequests).toEqual([]);
  expect(await reviewsOf(environment, email)).toEqual([
    { title: "Matinee 11", audience_interaction: "no", notes: null },
  ]);

  await page.reload();
  await expect(card.getByText("You reviewed this show ✓", { exact: true })).toBeVisible();
  await ui.signOutButton.click();
  await expect(card.getByText("You reviewed this show")).toHaveCount(0);
});

test("a review can be written with the keyboard alone, and the dialog traps the focus", async ({
  page,
  ui,
  email,
  visit,
  environment,
}) => {
  await ui.signIn(email);
  await visit("/?search=matinee+12");
  await ui.reviewButton(ui.card("Matinee 12")).focus();
  await page.keyboard.press("Enter");
  await expect(ui.interactionOption("No audience interaction")).toBeFocused();
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
  await page.keyboard.press("Enter");
  await expectToast(page, toasts.thanks, "status");
  await expect(ui.reviewButton(ui.card("Matinee 12"))).toBeFocused();
  expect(await reviewsOf(environment, email)).toEqual([
    { title: "Matinee 12", audience_interaction: "very_little", notes: "Clapping." },
  ]);
});

test("Escape keeps the draft of that show, and Cancel discards it", async ({ page, ui, email, visit }) => {
  await ui.signIn(email);
  await visit("/?search=matinee+13");
  const button = ui.reviewButton(ui.card("Matinee 13"));
  await button.click();
  await ui.interactionOption("Very little interaction").check();
  await ui.notes.fill("Half a thought");
  await page.keyboard.press("Escape");
  await expect(ui.dialog).toHaveCount(0);
  await expect(button).toBeFocused();

  await visit("/?search=matinee+1");
  await ui.reviewButton(ui.card("Matinee 14")).click();
  await expect(ui.notes).toHaveValue("");
  await ui.cancel.click();
  await button.click();
  await expect(ui.notes).toHaveValue("Half a thought");
  await expect(ui.interactionOption("Very little interaction")).toBeChecked();
  await ui.cancel.click();
  await button.click();
  await expect(ui.notes).toHaveValue("");
  await expect(ui.interactionOption("No audience interaction")).toBeChecked();
});

test("the counter counts UTF-16 code units, warns above 900, stops at 1000, and is announced after a pause", async ({
  page,
  email,
  ui,
}) => {
  const announced = ui.dialog.locator("[aria-live]").filter({ hasText: "characters" });
  await ui.signInAndOpen(email, "Moth Hour");
  const colour = () => ui.counter.evaluate((node) => getComputedStyle(node).color);
  const normalColour = await colour();
  await ui.notes.fill("🎭".repeat(450));
  await expect(ui.counter).toHaveText("900/1000 characters");
  expect(await colour()).toBe(normalColour);
  await page.keyboard.press("End");
  await page.keyboard.type("!");
  await expect(ui.counter).toHaveText("901/1000 characters");
  expect(await colour()).not.toBe(normalColour);
  await expect(announced).toHaveText("901/1000 characters");
  await page.keyboard.insertText("x".repeat(99));
  await page.keyboard.type("more");
  await expect(ui.counter).toHaveText("1000/1000 characters");
  await expect(announced).toHaveText("1000/1000 characters");
  await expectAccessible(page);
  await expect(ui.dialog.getByText("Notes cannot exceed 1000 characters")).toHaveCount(0);
});

test("pasted notes over the limit stay whole, show an error, and are not sent", async ({
  page,
  email,
  ui,
}) => {
  const sent = recordReviewWrites(page);
  await ui.signInAndOpen(email, "Moth Hour");
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
  await expect(ui.dialog.getByText("Notes cannot exceed 1000 characters", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await ui.submit.click();
  await expectToast(page, toasts.tooLong);
  await expect(ui.notes).toHaveValue("x".repeat(1200));
  await ui.toasts.getByRole("button", { name: "Dismiss notification" }).click();
  await expect(ui.toasts.getByRole("alert")).toHaveCount(0);
  await expect(ui.dialog).toBeVisible();
  expect(sent).toEqual([]);
});

const apiError = (status: number, code: string, message: string) => ({ status, json: { code, message } });

const failures = [
  ["a lost connection", "offline", toasts.failed],
  ["a server error", apiError(503, "unavailable", "Later."), toasts.failed],
  ["a refusal by the write limits", apiError(429, "rate_limited", "Too many."), toasts.failed],
  ["a captive portal's page", { contentType: "text/html", body: "<title>Free Wi-Fi</title>" }, toasts.failed],
  ["unexpected JSON", { json: { thanks: true } }, toasts.failed],
  [
    "a refusal of long notes",
    apiError(422, "notes_too_long", "Notes cannot exceed 1000 characters"),
    toasts.tooLong,
  ],
] as const;

test("after each kind of failure a toast shows, the draft stays, and sending again works", async ({
  page,
  email,
  ui,
  problems,
}) => {
  problems.allow(
    /^console error: Failed to load resource/,
    /^failed: .*INTERNET_DISCONNECTED/,
    /^(503|429|422): /,
  );
  const card = await ui.signInAndOpen(email, "Matinee 15");
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill("Dear diary");
  for (const [failure, response, toast] of failures) {
    await test.step(failure, async () => {
      await page.route("**/api/reviews", (route) =>
        response === "offline" ? route.abort("internetdisconnected") : route.fulfill(response),
      );
      // Sending removes the toast of the attempt before.
      const sent = page.waitForRequest("**/api/reviews");
      await ui.submit.click();
      await sent;
      await expectToast(page, toast);
      await expect(ui.toasts.getByRole("alert")).toBeInViewport({ ratio: 1 });
      await expect(ui.notes).toHaveValue("Dear diary");
      await expect(ui.interactionOption("Yes, significant interaction")).toBeChecked();
      await expect(ui.submit).toBeFocused();
      await expect(ui.toasts.getByRole("button", { name: "Dismiss notification" })).toBeInViewport();
      if (response === "offline") await expectAccessible(page);
      await page.unrouteAll();
    });
  }
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  await expect(card.getByText("You reviewed this show")).toBeVisible();
});

test("beyond the write limit a toast says when the next review can be sent, which pressing on does not change", async ({
  page,
  email,
  ui,
  environment,
  problems,
}) => {
  problems.expect(/^429: .*\/api\/reviews$/, /^console error: Failed to load resource/);
  const card = await ui.signInAndOpen(email, "Matinee 20");
  const { db } = environment.database;
  const setExpiry = (wait: number) =>
    sql`insert into review_limits select '3600:' || id, 30, ${Date.now() + wait} from users where email = ${email}
        on conflict (key) do update set expire = excluded.expire`.execute(db);
  await setExpiry(13 * 60_000);
  await ui.notes.fill("One of many");
  for (let press = 0; press < 7; press++) {
    const refused = page.waitForResponse("**/api/reviews");
    await ui.submit.click();
    await refused;
    await expectToast(page, [
      "Error",
      "You have sent many reviews. You can send the next one in 13 minutes.",
    ]);
  }
  await expect(ui.notes).toHaveValue("One of many");
  await setExpiry(0);
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  await expect(ui.toasts.getByRole("alert")).toHaveCount(0);
  await expect(card.getByText("You reviewed this show")).toBeVisible();
});

test("a review in flight shows Submitting... and ignores a second press", async ({ page, email, ui }) => {
  const sent = recordReviewWrites(page);
  await ui.signInAndOpen(email, "Matinee 16");
  await ui.notes.fill("Slow and steady");
  const held = await holdReviewWrites(page);
  await ui.submit.dblclick();
  const submitting = ui.dialog.getByRole("button", { name: "Submitting...", exact: true });
  await expect(submitting).toBeVisible();
  await submitting.focus();
  await page.keyboard.press("Enter");
  await ui.notes.press("x");
  await expect(ui.notes).toHaveValue("Slow and steady");
  await expectAccessible(page);
  held.release();
  await expectToast(page, toasts.thanks, "status");
  expect(sent).toHaveLength(1);
});

test("without a session a toast asks to sign in, and the draft survives signing in", async ({
  page,
  ui,
  email,
  visit,
  environment,
}) => {
  const card = await ui.signInAndOpen(email, "Matinee 17");
  await ui.interactionOption("Very little interaction").check();
  await ui.notes.fill("Not lost");
  await page.evaluate(() => localStorage.removeItem("front-row-session"));
  await ui.submit.click();
  await expectToast(page, toasts.signIn);
  await expect(ui.notes).toHaveValue("Not lost");
  await expectAccessible(page);
  await ui.cancel.click();
  await ui.signIn(email);
  await visit("/?search=matinee+17");
  await ui.reviewButton(card).click();
  await expect(ui.notes).toHaveValue("Not lost");
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  expect(await reviewsOf(environment, email)).toEqual([
    { title: "Matinee 17", audience_interaction: "very_little", notes: "Not lost" },
  ]);
});

test("a refused access token is renewed; after the server ended the session a toast asks to sign in", async ({
  page,
  ui,
  email,
  environment,
  problems,
}) => {
  problems.expect(/^401: .*\/api\/reviews$/, /^console error: Failed to load resource/);
  problems.allow(/^40[0-9]: .*\/auth\/v1\//);
  const card = await ui.signInAndOpen(email, "Matinee 18");
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem("front-row-session") ?? "");
    localStorage.setItem("front-row-session", JSON.stringify({ ...session, access_token: "worn.out.token" }));
  });
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  await ui.open(card);
  await ui.notes.fill("Still here");
  await environment.database.db
    .deleteFrom("sessions")
    .where("user_id", "in", (users) => users.selectFrom("users").select("id").where("email", "=", email))
    .execute();
  await ui.submit.click();
  await expectToast(page, toasts.signIn);
  await expect(ui.notes).toHaveValue("Still here");
  await page.keyboard.press("Escape");
  await expect(ui.signInButton).toBeVisible();
});

test("other users see a new review on their next visit, as plain text", async ({
  ui,
  email,
  browser,
  visit,
  environment,
}) => {
  const otherContext = await browser.newContext({ baseURL: environment.origin });
  const other = await otherContext.newPage();
  await uiOf(other).signIn(`other-${email}`);
  await ui.signIn(email);
  const script = "<img src=x onerror=alert(1)>\nhttps://spam.example";
  for (const [user, interaction, notes] of [
    [{ ui, visit }, "Yes, significant interaction", script],
    [
      { ui: uiOf(other), visit: (address: string) => other.goto(address) },
      "No audience interaction",
      "Nothing",
    ],
  ] as const) {
    await user.visit("/?search=matinee+30");
    await user.ui.reviewButton(user.ui.card("Matinee 30")).click();
    await user.ui.interactionOption(interaction).check();
    await user.ui.notes.fill(notes);
    await user.ui.submit.click();
    await expect(user.ui.card("Matinee 30")).toContainText("You reviewed this show");
  }
  await waitUntilCounted(environment, "Matinee 30", { no: 1, yes: 1 });
  const card = ui.card("Matinee 30");
  await visit("/?search=matinee+30&page=1");
  await expect(card).toContainText("(2 reviews)");
  await expect(ui.notesButton(card, "1 note for No")).toBeVisible();
  await ui.notesButton(card, "1 note for Yes").hover();
  await expect(ui.noteTexts(card)).toHaveText(script, { useInnerText: true });
  await expect(card.locator("img, a[href*=spam]")).toHaveCount(0);
  await otherContext.close();
});

test(
  "repeated Enter or a double click on the card's button opens the dialog and sends nothing",
  soak,
  async ({ page, ui, email, visit }) => {
    await ui.signIn(email);
    await visit("/?search=sit+back");
    const sent = recordReviewWrites(page);
    const button = ui.reviewButton(ui.card("Sit Back"));
    await button.focus();
    await page.keyboard.press("Enter");
    await expect(ui.dialog).toBeVisible();
    await expect(ui.dialog.getByText(/^by /)).toHaveCount(0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await expect(ui.submit).toBeVisible();
    await ui.cancel.click();
    await button.dblclick();
    await expect(ui.submit).toBeVisible();
    expect(sent).toEqual([]);
  },
);

test("the second click of a double click does nothing in the dialog, even without a click count", async ({
  page,
  ui,
  email,
  visit,
}) => {
  await ui.signIn(email);
  await visit("/?search=sit+back");
  const sent = recordReviewWrites(page);
  const button = ui.reviewButton(ui.card("Sit Back"));
  const points: { x: number; y: number }[] = [];
  await button.click();
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

test("holding Enter on Submit Review sends one review and does not reopen the dialog", async ({
  page,
  ui,
  email,
  visit,
}) => {
  await ui.signIn(email);
  await visit("/?search=matinee+58");
  const sent = recordReviewWrites(page);
  await ui.reviewButton(ui.card("Matinee 58")).click();
  await ui.submit.focus();
  await page.keyboard.down("Enter");
  await expectToast(page, toasts.thanks, "status");
  await expect(ui.reviewButton(ui.card("Matinee 58"))).toBeFocused();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await expect(ui.dialog).toHaveCount(0);
  expect(sent).toHaveLength(1);
});

test.describe("by touch", () => {
  test.use(phone);

  test("a show can be reviewed by touch alone", async ({ page, ui, email, visit, environment }) => {
    await visit("/?search=matinee+57");
    const card = ui.card("Matinee 57");
    await ui.reviewButton(card).tap();
    await expect(ui.toasts.getByText("Please sign in to review shows.", { exact: true })).toBeVisible();
    await ui.signIn(email);
    await visit("/?search=matinee+57");
    await ui.reviewButton(card).tap();
    await ui.dialog.getByText("Very little interaction", { exact: true }).tap();
    await expect(ui.interactionOption("Very little interaction")).toBeChecked();
    await ui.notes.tap();
    await page.keyboard.insertText("Clapping, on the beat.");
    await ui.submit.tap();
    await expectToast(page, toasts.thanks, "status");
    await expect(card).toContainText("You reviewed this show");
    await expect(ui.reviewButton(card)).toBeFocused();
    await expectOnTop(ui.reviewButton(card));
    await ui.notesButton(card, "1 note for Very little").tap();
    await expect(ui.noteTexts(card)).toHaveText("Clapping, on the beat.");
    await expectAccessible(page);
    expect(await reviewsOf(environment, email)).toMatchObject([{ audience_interaction: "very_little" }]);
  });
});
