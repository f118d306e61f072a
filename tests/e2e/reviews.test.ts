import { accountsOf } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { listOf } from "./support/list.ts";
import {
  expectToast,
  holdWriting,
  reviewingOf,
  reviewsOf,
  test,
  toasts,
  untilCounted,
  writing,
} from "./support/reviewing.ts";
import { expect, once, twice } from "./support/test.ts";

test(
  "the dialog asks what it is to ask, and starts from no and without notes",
  twice,
  async ({ page, accounts, email, list, reviewing, visit }) => {
    await accounts.signIn(email);
    await visit("/?search=moth");
    const button = reviewing.button(list.card("Moth Hour"));
    await button.click();
    const { dialog, answer, notes, counter, submit, cancel } = reviewing;
    await expect(page.getByRole("dialog", { name: "Review: Moth Hour", exact: true })).toBeVisible();
    await expect(dialog.getByText("by Wren Halloway", { exact: true })).toBeVisible();
    const question = dialog.getByRole("group", { name: "Did this show involve audience interaction?", exact: true });
    await expect(question.getByRole("radio")).toHaveCount(3);
    for (const [name, meaning] of [
      ["No audience interaction", "traditional performance with no audience participation"],
      ["Very little interaction", "minimal participation such as clapping, cheering or simple responses"],
      [
        "Yes, significant interaction",
        "active participation required, such as volunteers, conversation or physical involvement",
      ],
    ] as const) {
      await expect(answer(name)).toHaveAccessibleDescription(meaning);
      await expect(question.getByText(meaning, { exact: true })).toBeVisible();
    }
    await expect(answer("No audience interaction")).toBeChecked();
    await expect(answer("No audience interaction")).toBeFocused();
    await expect(notes).toHaveValue("");
    await expect(notes).toHaveAttribute("maxlength", "1000");
    await expect(counter).toHaveText("0/1000 characters");
    await expect(submit).toBeVisible();
    await expect(dialog.getByText(/replaces/)).toHaveCount(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
      0,
    );
    await expectAccessible(page);
    await cancel.click();
    await expect(dialog).toHaveCount(0);
    await expect(button).toBeFocused();
  },
);

test(
  "on a small phone the dialog is as wide as the screen lets it, and scrolls to its buttons",
  once,
  async ({ page, accounts, email, list, reviewing, visit }) => {
    await accounts.signIn(email);
    await page.setViewportSize({ width: 320, height: 480 });
    await visit("/?search=exhaustive");
    await reviewing.button(list.cards).click();
    const { dialog, submit } = reviewing;
    const box = await dialog.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
    expect(await dialog.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    await submit.scrollIntoViewIfNeeded();
    await expect(submit).toBeInViewport({ ratio: 1 });
  },
);

test("a show without an artist has no by", once, async ({ email, reviewing }) => {
  await reviewing.begin(email, "Pick a Card");
  await expect(reviewing.dialog.getByRole("heading", { name: "Review: Pick a Card" })).toBeVisible();
  await expect(reviewing.dialog.getByText(/^by /)).toHaveCount(0);
});

test(
  "a review is sent, thanked for and counted at once, and another one replaces it",
  once,
  async ({ page, accounts, email, list, reviewing, visit, world }) => {
    await accounts.signIn(email);
    await visit("/?search=matinee+11");
    const card = list.card("Matinee 11");
    await expect(card).toContainText("(0 reviews)");
    await reviewing.button(card).click();
    await reviewing.answer("Yes, significant interaction").check();
    await reviewing.notes.fill("  They asked\nfor <b>volunteers</b>.  ");
    const notesRequests: string[] = [];
    page.on("request", (request) => /\/api\/reviews\?/.test(request.url()) && notesRequests.push(request.url()));
    await reviewing.submit.click();
    await expectToast(page, toasts.thanks, "status");
    await expectAccessible(page);
    await expect(reviewing.dialog).toHaveCount(0);
    await expect(reviewing.button(card)).toBeFocused();
    await expect(card).toContainText("(1 review)");
    await expect(card).toContainText("Most common: Yes");
    await expect(card.getByText("You reviewed this show", { exact: true })).toBeVisible();
    await reviewing.notesButton(card, "1 note for Yes").hover();
    await expect(reviewing.openNotes(card)).toHaveText("They asked\nfor <b>volunteers</b>.", { useInnerText: true });
    expect(await reviewsOf(world, email)).toEqual([
      { title: "Matinee 11", audience_interaction: "yes", notes: "They asked\nfor <b>volunteers</b>." },
    ]);
    await page.mouse.move(0, 0);

    await reviewing.button(card).click();
    await expect(reviewing.answer("No audience interaction")).toBeChecked();
    await expect(reviewing.notes).toHaveValue("");
    await expect(reviewing.dialog.getByText(/replaces your earlier review/)).toBeVisible();
    await expectAccessible(page);
    await reviewing.notes.fill("  \n ");
    await reviewing.submit.click();
    await expect(card).toContainText("Most common: No");
    await expect(card).toContainText("(1 review)");
    await expect(reviewing.notesButton(card, "1 note for Yes")).toHaveCount(0);
    expect(notesRequests).toEqual([]);
    expect(await reviewsOf(world, email)).toEqual([{ title: "Matinee 11", audience_interaction: "no", notes: null }]);

    await page.reload();
    await expect(card.getByText("You reviewed this show", { exact: true })).toBeVisible();
    await accounts.signOutButton.click();
    await expect(card.getByText("You reviewed this show")).toHaveCount(0);
  },
);

test(
  "everything works with the keyboard alone, and the focus stays in the dialog",
  once,
  async ({ page, accounts, email, list, reviewing, visit, world }) => {
    await accounts.signIn(email);
    await visit("/?search=matinee+12");
    await reviewing.button(list.card("Matinee 12")).focus();
    await page.keyboard.press("Enter");
    await expect(reviewing.answer("No audience interaction")).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(reviewing.answer("Very little interaction")).toBeChecked();
    await page.keyboard.press("Tab");
    await expect(reviewing.notes).toBeFocused();
    await page.keyboard.type("Clapping.");
    for (const stop of [reviewing.cancel, reviewing.submit]) {
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
    await reviewing.submit.focus();
    await page.keyboard.press("Enter");
    await expectToast(page, toasts.thanks, "status");
    await expect(reviewing.button(list.card("Matinee 12"))).toBeFocused();
    expect(await reviewsOf(world, email)).toEqual([
      { title: "Matinee 12", audience_interaction: "very_little", notes: "Clapping." },
    ]);
  },
);

test(
  "Escape keeps what was typed for that show, and Cancel discards it",
  once,
  async ({ page, accounts, email, list, reviewing, visit }) => {
    await accounts.signIn(email);
    await visit("/?search=matinee+13");
    const button = reviewing.button(list.card("Matinee 13"));
    await button.click();
    await reviewing.answer("Very little interaction").check();
    await reviewing.notes.fill("Half a thought");
    await page.keyboard.press("Escape");
    await expect(reviewing.dialog).toHaveCount(0);
    await expect(button).toBeFocused();

    await visit("/?search=matinee+1");
    await reviewing.button(list.card("Matinee 14")).click();
    await expect(reviewing.notes).toHaveValue("");
    await reviewing.cancel.click();
    await button.click();
    await expect(reviewing.notes).toHaveValue("Half a thought");
    await expect(reviewing.answer("Very little interaction")).toBeChecked();
    await reviewing.cancel.click();
    await button.click();
    await expect(reviewing.notes).toHaveValue("");
    await expect(reviewing.answer("No audience interaction")).toBeChecked();
  },
);

test(
  "the counter counts as the browser does, warns above 900 and stops at 1000",
  once,
  async ({ page, email, reviewing }) => {
    await reviewing.begin(email, "Moth Hour");
    const colour = () => reviewing.counter.evaluate((node) => getComputedStyle(node).color);
    const calm = await colour();
    await reviewing.notes.fill("🎭".repeat(450));
    await expect(reviewing.counter).toHaveText("900/1000 characters");
    await expect(reviewing.counter).toHaveAttribute("aria-live", "off");
    expect(await colour()).toBe(calm);
    await page.keyboard.press("End");
    await page.keyboard.type("!");
    await expect(reviewing.counter).toHaveText("901/1000 characters");
    await expect(reviewing.counter).toHaveAttribute("aria-live", "polite");
    expect(await colour()).not.toBe(calm);
    await page.keyboard.insertText("x".repeat(99));
    await page.keyboard.type("more");
    await expect(reviewing.counter).toHaveText("1000/1000 characters");
    await expectAccessible(page);
    await expect(reviewing.dialog.getByText("Notes cannot exceed 1000 characters")).toHaveCount(0);
  },
);

test(
  "notes that are longer all the same are kept and told about, not sent",
  once,
  async ({ page, email, list, reviewing }) => {
    const sent = writing(page);
    await reviewing.begin(email, "Moth Hour");
    await reviewing.notes.evaluate((box) => box.removeAttribute("maxlength"));
    await reviewing.notes.fill("x".repeat(1001));
    await expect(reviewing.notes).toHaveAccessibleDescription(/^Notes cannot exceed 1000 characters/);
    await expect(reviewing.dialog.getByText("Notes cannot exceed 1000 characters", { exact: true })).toBeVisible();
    await expectAccessible(page);
    await reviewing.submit.click();
    await expectToast(page, toasts.tooLong);
    await expect(reviewing.notes).toHaveValue("x".repeat(1001));
    await list.toasts.getByRole("button", { name: "Dismiss notification" }).click();
    await expect(list.toasts.getByRole("alert")).toHaveCount(0);
    await expect(reviewing.dialog).toBeVisible();
    expect(sent).toEqual([]);
  },
);

const ours = (status: number, code: string, message: string) => ({ status, json: { code, message } });

for (const [what, how, toast] of [
  ["no network", "offline", toasts.failed],
  ["an error of the server", ours(503, "unavailable", "Later."), toasts.failed],
  ["too many reviews", ours(429, "rate_limited", "Too many."), toasts.failed],
  ["a captive portal's page", { contentType: "text/html", body: "<title>Free Wi-Fi</title>" }, toasts.failed],
  ["JSON of somebody else", { json: { thanks: true } }, toasts.failed],
  [
    "notes that the server finds too long",
    ours(422, "notes_too_long", "Notes cannot exceed 1000 characters"),
    toasts.tooLong,
  ],
] as const) {
  test(
    `${what}: it is told, what was typed stays, and sending again works`,
    once,
    async ({ page, email, list, reviewing, problems }) => {
      problems.allow(/^console error: Failed to load resource/, /^failed: .*INTERNET_DISCONNECTED/, /^(503|429|422): /);
      const card = await reviewing.begin(email, "Matinee 15");
      await reviewing.answer("Yes, significant interaction").check();
      await reviewing.notes.fill("Dear diary");
      await page.route("**/api/reviews", (route) =>
        how === "offline" ? route.abort("internetdisconnected") : route.fulfill(how),
      );
      await reviewing.submit.click();
      await expectToast(page, toast);
      await expect(list.toasts.getByRole("alert")).toBeInViewport({ ratio: 1 });
      await expect(reviewing.notes).toHaveValue("Dear diary");
      await expect(reviewing.answer("Yes, significant interaction")).toBeChecked();
      await expect(reviewing.submit).toBeFocused();
      await expect(list.toasts.getByRole("button", { name: "Dismiss notification" })).toBeInViewport();
      if (how === "offline") await expectAccessible(page);
      await page.unrouteAll();
      await reviewing.submit.click();
      await expectToast(page, toasts.thanks, "status");
      await expect(list.toasts.getByRole("alert")).toHaveCount(0);
      await expect(card.getByText("You reviewed this show")).toBeVisible();
    },
  );
}

test(
  "while it is on its way the button says so, and a second press sends nothing",
  once,
  async ({ page, email, reviewing }) => {
    const sent = writing(page);
    await reviewing.begin(email, "Matinee 16");
    await reviewing.notes.fill("Slow and steady");
    const answers = await holdWriting(page);
    await reviewing.submit.dblclick();
    const busy = reviewing.dialog.getByRole("button", { name: "Submitting...", exact: true });
    await expect(busy).toBeVisible();
    await busy.focus();
    await page.keyboard.press("Enter");
    await reviewing.notes.press("x");
    await expect(reviewing.notes).toHaveValue("Slow and steady");
    await expectAccessible(page);
    answers.letGo();
    await expectToast(page, toasts.thanks, "status");
    expect(sent).toHaveLength(1);
  },
);

test(
  "a session that is gone is told about, and what was typed is there after signing in again",
  once,
  async ({ page, accounts, email, reviewing, visit, world }) => {
    const card = await reviewing.begin(email, "Matinee 17");
    await reviewing.answer("Very little interaction").check();
    await reviewing.notes.fill("Not lost");
    await page.evaluate(() => localStorage.removeItem("front-row-session"));
    await reviewing.submit.click();
    await expectToast(page, toasts.signIn);
    await expect(reviewing.notes).toHaveValue("Not lost");
    await expectAccessible(page);
    await reviewing.cancel.click();
    await accounts.signIn(email);
    await visit("/?search=matinee+17");
    await reviewing.button(card).click();
    await expect(reviewing.notes).toHaveValue("Not lost");
    await reviewing.submit.click();
    await expectToast(page, toasts.thanks, "status");
    expect(await reviewsOf(world, email)).toEqual([
      { title: "Matinee 17", audience_interaction: "very_little", notes: "Not lost" },
    ]);
  },
);

test(
  "a session that was ended elsewhere is told about, and the page knows that nobody is signed in",
  once,
  async ({ page, accounts, email, reviewing, world, problems }) => {
    problems.expect(/^401: .*\/api\/reviews$/, /^console error: Failed to load resource/);
    problems.allow(/^40[0-9]: .*\/auth\/v1\//);
    await reviewing.begin(email, "Matinee 18");
    await reviewing.notes.fill("Still here");
    await world.database.db
      .deleteFrom("sessions")
      .where("user_id", "in", (users) => users.selectFrom("users").select("id").where("email", "=", email))
      .execute();
    await reviewing.submit.click();
    await expectToast(page, toasts.signIn);
    await expect(reviewing.notes).toHaveValue("Still here");
    await page.keyboard.press("Escape");
    await expect(accounts.signInButton).toBeVisible();
  },
);

test(
  "a token that the server does not take any more is renewed, and the review is sent",
  once,
  async ({ page, email, reviewing, problems }) => {
    problems.expect(/^401: .*\/api\/reviews$/, /^console error: Failed to load resource/);
    await reviewing.begin(email, "Matinee 19");
    await page.evaluate(() => {
      const session = JSON.parse(localStorage.getItem("front-row-session") ?? "");
      localStorage.setItem("front-row-session", JSON.stringify({ ...session, access_token: "worn.out.token" }));
    });
    await reviewing.submit.click();
    await expectToast(page, toasts.thanks, "status");
  },
);

test(
  "everybody else sees a new review at the next look, as plain text",
  once,
  async ({ accounts, email, browser, list, reviewing, visit, world }) => {
    const elsewhere = await browser.newContext({ baseURL: world.origin });
    const other = await elsewhere.newPage();
    await accountsOf(other).signIn(`other-${email}`);
    await accounts.signIn(email);
    const script = "<img src=x onerror=alert(1)>\nhttps://spam.example";
    for (const [person, answer, notes] of [
      [{ page: null, reviewing, list, visit }, "Yes, significant interaction", script],
      [
        {
          page: other,
          reviewing: reviewingOf(other),
          list: listOf(other),
          visit: (address: string) => other.goto(address),
        },
        "No audience interaction",
        "Nothing",
      ],
    ] as const) {
      await person.visit("/?search=matinee+20");
      await person.reviewing.button(person.list.card("Matinee 20")).click();
      await person.reviewing.answer(answer).check();
      await person.reviewing.notes.fill(notes);
      await person.reviewing.submit.click();
      await expect(person.list.card("Matinee 20")).toContainText("You reviewed this show");
    }
    await untilCounted(world, "Matinee 20", { no: 1, yes: 1 });
    const card = list.card("Matinee 20");
    await visit("/?search=matinee+20&page=1");
    await expect(card).toContainText("(2 reviews)");
    await expect(reviewing.notesButton(card, "1 note for No")).toBeVisible();
    await reviewing.notesButton(card, "1 note for Yes").hover();
    await expect(reviewing.openNotes(card)).toHaveText(script, { useInnerText: true });
    await expect(card.locator("img, a[href*=spam]")).toHaveCount(0);
    await elsewhere.close();
  },
);

test(
  "a press too many of the card's button, by key or by mouse, opens the dialog and sends nothing",
  once,
  async ({ page, accounts, email, list, reviewing, visit }) => {
    await accounts.signIn(email);
    await visit("/?search=sit+back");
    const sent = writing(page);
    const button = reviewing.button(list.card("Sit Back"));
    await button.focus();
    await page.keyboard.press("Enter");
    await expect(reviewing.dialog).toBeVisible();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await expect(reviewing.submit).toBeVisible();
    await reviewing.cancel.click();
    await button.dblclick();
    await expect(reviewing.submit).toBeVisible();
    expect(sent).toEqual([]);
  },
);

test(
  "the second half of a double press hits nothing of the dialog, even where browsers do not count presses",
  once,
  async ({ page, accounts, email, list, reviewing, visit }) => {
    await accounts.signIn(email);
    await visit("/?search=sit+back");
    const sent = writing(page);
    const button = reviewing.button(list.card("Sit Back"));
    const places: { x: number; y: number }[] = [];
    await button.click();
    for (const part of [reviewing.answer("Yes, significant interaction"), reviewing.cancel, reviewing.submit]) {
      const box = await part.boundingBox();
      if (box) places.push({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
    }
    await reviewing.cancel.click();
    expect(places).toHaveLength(3);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Animation.enable");
    for (const { x, y } of places) {
      // The dialog takes no presses while an animation lasts: however busy the machine is, the press comes within its time.
      await devtools.send("Animation.setPlaybackRate", { playbackRate: 0 });
      await button.evaluate((node) => (node instanceof HTMLElement ? node.click() : undefined));
      await expect(reviewing.submit).toBeVisible();
      await page.mouse.click(x, y);
      await expect(reviewing.submit).toBeVisible();
      await expect(reviewing.answer("No audience interaction")).toBeChecked();
      await devtools.send("Animation.setPlaybackRate", { playbackRate: 1 });
      await reviewing.cancel.click();
    }
    expect(sent).toEqual([]);
  },
);

test(
  "Enter held down on Submit Review sends one review, and does not open the dialog again",
  once,
  async ({ page, accounts, email, list, reviewing, visit }) => {
    await accounts.signIn(email);
    await visit("/?search=matinee+58");
    const sent = writing(page);
    await reviewing.button(list.card("Matinee 58")).click();
    await reviewing.submit.focus();
    await page.keyboard.down("Enter");
    await expectToast(page, toasts.thanks, "status");
    await expect(reviewing.button(list.card("Matinee 58"))).toBeFocused();
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await expect(reviewing.dialog).toHaveCount(0);
    expect(sent).toHaveLength(1);
  },
);

test.describe("by touch", () => {
  test.use({ hasTouch: true });

  test(
    "a show is reviewed with taps alone",
    twice,
    async ({ page, accounts, email, list, reviewing, visit, world }) => {
      await visit("/?search=matinee+57");
      const card = list.card("Matinee 57");
      await reviewing.button(card).tap();
      await expect(list.toasts.getByText("Please sign in to review shows.", { exact: true })).toBeVisible();
      await accounts.signIn(email);
      await visit("/?search=matinee+57");
      await reviewing.button(card).tap();
      await reviewing.dialog.getByText("Very little interaction", { exact: true }).tap();
      await expect(reviewing.answer("Very little interaction")).toBeChecked();
      await reviewing.notes.tap();
      await page.keyboard.insertText("Clapping, on the beat.");
      await reviewing.submit.tap();
      await expectToast(page, toasts.thanks, "status");
      await expect(card).toContainText("You reviewed this show");
      await reviewing.notesButton(card, "1 note for Very little").tap();
      await expect(reviewing.openNotes(card)).toHaveText("Clapping, on the beat.");
      await expectAccessible(page);
      expect(await reviewsOf(world, email)).toMatchObject([{ audience_interaction: "very_little" }]);
    },
  );
});
