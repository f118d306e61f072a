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
import { expectOnTop, overflowOf } from "./support/ui.ts";

test("the dialog shows the question, no as its answer, and empty notes", async ({ page, ui, email }) => {
  const card = await ui.signInAndOpen(email, "Moth Hour");
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
  await expect(ui.reviewButton(card)).toBeFocused();
});

test("on small screens the dialog fits, above an on-screen keyboard too", async ({ page, ui, email }) => {
  await ui.openSignedIn(email, "/?search=exhaustive");
  const { dialog, submit, cancel } = ui;
  const button = ui.reviewButton(ui.cards);
  // The first is a screen of 1280 by 1024 px at 400 %.
  for (const [width, height] of [
    [320, 256],
    [320, 480],
    [360, 640],
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
    await submit.scrollIntoViewIfNeeded();
    await expect(submit).toBeInViewport({ ratio: 1 });
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
          Object.defineProperty(visualViewport, name, { get: () => value, configurable: true });
        visualViewport?.dispatchEvent(new Event("resize"));
        visualViewport?.dispatchEvent(new Event("scroll"));
      },
      { height, offsetTop },
    );
  await setViewport(300, 0);
  expect(await bottomOf(ui.notes)).toBeLessThanOrEqual(300);
  await submit.scrollIntoViewIfNeeded();
  expect(await bottomOf(submit)).toBeLessThanOrEqual(300);

  // An offset that stays when the keyboard has closed, as on iOS, moves nothing.
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
  await expectToast(page, toasts.thanks, "status");
  await expectAccessible(page);
  await expect(ui.dialog).toHaveCount(0);
  await expect(ui.reviewButton(card)).toBeFocused();
  await expect(card).toContainText("(1 review)");
  await expect(card).toContainText("Most common: Yes");
  await expect(card.getByText("You reviewed this show ✓", { exact: true })).toBeVisible();
  await ui.notesButton(card, "1 note for Yes").hover();
  const notes = "They asked\nfor <b>volunteers</b>.";
  await expect(ui.noteTexts(card)).toHaveText(notes, { useInnerText: true });
  expect(await reviewsOf(environment, email)).toEqual([
    { title: "Matinee 11", audience_interaction: "yes", notes },
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
  expect(requests).toEqual([]);
  expect(await reviewsOf(environment, email)).toEqual([
    { title: "Matinee 11", audience_interaction: "no", notes: null },
  ]);

  await page.reload();
  await expect(card.getByText("You reviewed this show ✓", { exact: true })).toBeVisible();
  await ui.signOutButton.click();
  await expect(card.getByText("You reviewed this show")).toHaveCount(0);
});

test("a review is written with the keyboard alone, and sent once", async ({
  page,
  ui,
  email,
  environment,
}) => {
  await ui.openSignedIn(email, "/?search=matinee+12");
  const sent = recordReviewWrites(page);
  const button = ui.reviewButton(ui.card("Matinee 12"));
  await button.press("Enter");
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
  // Held: it neither sends twice nor opens the dialog again.
  await page.keyboard.down("Enter");
  await expectToast(page, toasts.thanks, "status");
  await expect(button).toBeFocused();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await expect(ui.dialog).toHaveCount(0);
  expect(sent).toHaveLength(1);
  expect(await reviewsOf(environment, email)).toEqual([
    { title: "Matinee 12", audience_interaction: "very_little", notes: "Clapping." },
  ]);
});

test("Escape keeps the draft of that show, and Cancel discards it", async ({ page, ui, email, visit }) => {
  const button = ui.reviewButton(await ui.signInAndOpen(email, "Matinee 13"));
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

test("the counter warns, and notes over the limit are not sent", async ({ page, ui, email }) => {
  const announced = ui.dialog.locator("[aria-live]").filter({ hasText: "characters" });
  const sent = recordReviewWrites(page);
  await ui.signInAndOpen(email, "Moth Hour");
  const colour = () => ui.counter.evaluate((node) => getComputedStyle(node).color);
  const normalColour = await colour();
  await test.step("it counts UTF-16 code units, and typing stops at 1000", async () => {
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
  await test.step("what is pasted stays whole, and shows an error", async () => {
    await ui.notes.fill("x".repeat(600));
    for (const keys of ["ControlOrMeta+A", "ControlOrMeta+C", "End", "ControlOrMeta+V"])
      await page.keyboard.press(keys);
    await expect(ui.counter).toHaveText("1200/1000 characters");
    await page.keyboard.press("ControlOrMeta+Z");
    await expect(ui.counter).toHaveText("600/1000 characters");
    await page.keyboard.press("ControlOrMeta+Shift+Z");
    await expect(ui.counter).toHaveText("1200/1000 characters");
    await page.keyboard.type("more");
    const error = "Notes cannot exceed 1000 characters";
    await expect(ui.notes).toHaveAccessibleDescription(new RegExp(`^${error}`));
    await expect(ui.dialog.getByText(error, { exact: true })).toBeVisible();
    await expectAccessible(page);
    await ui.submit.click();
    await expectToast(page, toasts.tooLong);
    await expect(ui.notes).toHaveValue("x".repeat(1200));
    await ui.toasts.getByRole("button", { name: "Dismiss notification" }).click();
    await expect(ui.toasts.getByRole("alert")).toHaveCount(0);
    await expect(ui.dialog).toBeVisible();
    expect(sent).toEqual([]);
  });
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

test("each failure keeps the draft, and sending again works", async ({ page, ui, email, problems }) => {
  problems.allow(/^console error: Failed to load resource/);
  problems.allow(/^failed: .*INTERNET_DISCONNECTED/, /^(503|429|422): /);
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

test("beyond the write limit a toast says when to send", async ({
  page,
  ui,
  email,
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
  // Pressing on does not change it.
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

test("a review in flight says so and ignores a second press", async ({ page, ui, email }) => {
  const sent = recordReviewWrites(page);
  await ui.signInAndOpen(email, "Matinee 16");
  await ui.notes.fill("Slow and steady");
  const held = await holdReviewWrites(page);
  await ui.submit.dblclick();
  const submitting = ui.dialog.getByRole("button", { name: "Submitting...", exact: true });
  await expect(submitting).toBeVisible();
  await submitting.press("Enter");
  await ui.notes.press("x");
  await expect(ui.notes).toHaveValue("Slow and steady");
  await expectAccessible(page);
  held.release();
  await expectToast(page, toasts.thanks, "status");
  expect(sent).toHaveLength(1);
});

test("a review needs a session, and its draft survives one", async ({
  page,
  ui,
  email,
  visit,
  environment,
  problems,
}) => {
  problems.expect(/^401: .*\/api\/reviews$/, /^console error: Failed to load resource/);
  problems.allow(/^40[0-9]: .*\/auth\/v1\//);
  const card = await ui.signInAndOpen(email, "Matinee 17");
  await test.step("without one a toast asks to sign in", async () => {
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
    await ui.open(card);
    await expect(ui.notes).toHaveValue("Not lost");
  });
  await test.step("a refused access token is renewed", async () => {
    await page.evaluate(() => {
      const session = JSON.parse(localStorage.getItem("front-row-session") ?? "");
      const worn = JSON.stringify({ ...session, access_token: "worn.out.token" });
      localStorage.setItem("front-row-session", worn);
    });
    await ui.submit.click();
    await expectToast(page, toasts.thanks, "status");
    expect(await reviewsOf(environment, email)).toEqual([
      { title: "Matinee 17", audience_interaction: "very_little", notes: "Not lost" },
    ]);
  });
  await test.step("so does it ask after the server ended the session", async () => {
    await ui.open(card);
    await ui.notes.fill("Still here");
    const { db } = environment.database;
    await sql`delete from sessions using users where user_id = users.id and email = ${email}`.execute(db);
    await ui.submit.click();
    await expectToast(page, toasts.signIn);
    await expect(ui.notes).toHaveValue("Still here");
    await page.keyboard.press("Escape");
    await expect(ui.signInButton).toBeVisible();
  });
});

test("others see a new review on their next visit, as plain text", async ({
  page,
  ui,
  email,
  visit,
  environment,
}) => {
  const card = await ui.signInAndOpen(email, "Matinee 30");
  const script = "<img src=x onerror=alert(1)>\nhttps://spam.example";
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill(script);
  await ui.submit.click();
  await waitUntilCounted(environment, "Matinee 30", { yes: 1 });
  await page.evaluate(() => localStorage.clear());
  await visit("/?search=matinee+30&page=1");
  await expect(ui.signInButton).toBeVisible();
  await expect(card).toContainText("(1 review)");
  await ui.notesButton(card, "1 note for Yes").hover();
  await expect(ui.noteTexts(card)).toHaveText(script, { useInnerText: true });
  await expect(card.locator("img, a[href*=spam]")).toHaveCount(0);
});

test(
  "repeated presses of the card's button open the dialog and send nothing",
  soak,
  async ({ page, ui, email }) => {
    await ui.openSignedIn(email, "/?search=sit+back");
    const sent = recordReviewWrites(page);
    const button = ui.reviewButton(ui.card("Sit Back"));
    await button.press("Enter");
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
  // Without a click count.
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
