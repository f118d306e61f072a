import type { Page } from "@playwright/test";
import { sql } from "kysely";
import type { Db } from "../../src/database/schema.server.ts";
import { givenReview, givenShows } from "../support/given.ts";
import { type AccountsEnvironment, test as base } from "./support/accounts.ts";
import { expect } from "./support/test.ts";

/** Each payload calls `hit()` if a page interprets it as anything but text. */
const payloads = [
  "<script>hit()</script>",
  "</script><script>hit()</script>",
  "</title></textarea></style><script>hit()</script>",
  "<!--<script>hit()//--><script>hit()</script>",
  '"><img src=x onerror=hit()>',
  "<svg onload=hit()>",
  "<iframe srcdoc='<script>parent.hit()</script>'></iframe>",
  "<a href='javascript:hit()'>press me</a>",
  "<button autofocus onfocus=hit()>press me</button>",
  "' onmouseover='hit()' autofocus onfocus='hit()",
  "javascript:hit()//",
  "{{constructor.constructor('hit()')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template literal is one of the payloads
  "`${hit()}`",
  '\\");hit();//',
  '"]\\n");hit();//',
  "\u2028hit()\u2029//",
  "&lt;img src=x onerror=hit()&gt;",
];

const allPayloads = payloads.join(" ");

function inTexts(limit: number): string[] {
  const texts: string[] = [];
  for (const payload of payloads) {
    const longer = `${texts.at(-1)} ${payload}`;
    if (texts.length > 0 && longer.length <= limit) texts.splice(-1, 1, longer);
    else texts.push(payload);
  }
  return texts;
}

/** The texts of the shows and their notes. A title has at most 200 code units. */
const showTexts = inTexts(180);
const titleOf = (payload: string) => `Payload ${payload}`;

/** `hits` has calls of `hit()` and opened dialogs. Any left at the end fail the test. */
const test = base.extend<{ hits: string[] }>({
  hits: [
    async ({ page }, use) => {
      const hits: string[] = [];
      await page.exposeFunction("hit", () => hits.push(`hit on ${page.url()}`));
      page.on("dialog", async (dialog) => {
        hits.push(`dialog: ${dialog.message()}`);
        await dialog.dismiss();
      });
      await use(hits);
      expect(hits, "no payload has run").toEqual([]);
    },
    { auto: true },
  ],
});

async function writeShows(db: Db): Promise<void> {
  for (const [index, text] of showTexts.entries()) {
    const texts = { title: titleOf(text), artist: text, venue_name: text, genre: text, description: text };
    const show = { id: `payload-${index}`, website: `https://x.example/${text}`, ...texts };
    const [show_id = ""] = await givenShows(db, [show]);
    await givenReview(db, { show_id, notes: text });
  }
}

async function untilListed(environment: AccountsEnvironment, count: number): Promise<void> {
  await sql`select pg_notify('shows_changed', '')`.execute(environment.database.db);
  for (const { api } of environment.servers) {
    await expect.poll(async () => (await (await api("/api/shows?search=payload")).json()).total).toBe(count);
  }
}

test("payloads in shows, notes and forms are shown as text", async ({ page, ui, email, environment }) => {
  const { db } = environment.database;
  await writeShows(db);
  await untilListed(environment, showTexts.length);
  await ui.openSignedIn(email, "/?search=payload");
  await expect(ui.cards).toHaveCount(showTexts.length);
  expect((await ui.titles.allTextContents()).toSorted()).toEqual(showTexts.map(titleOf).toSorted());
  for (const payload of showTexts) {
    const card = ui.cards.filter({ has: page.getByText(titleOf(payload), { exact: true }) });
    for (const text of [`by ${payload}`, payload])
      await expect(card.getByText(text, { exact: true }).first()).toBeVisible();
    await expect(card.getByText(payload, { exact: true })).toHaveCount(4);
    const title = card.getByRole("heading").getByRole("link");
    await expect(title).toHaveAttribute("href", `https://x.example/${payload}`);
    await ui.notesButton(card, "1 note for Yes").click();
    await expect(ui.noteTexts(card)).toHaveText(payload);
    await page.keyboard.press("Escape");
    await ui.reviewButton(card).click();
    await expect(ui.dialog.getByRole("heading")).toHaveText(`Review: ${titleOf(payload)}`);
    // Not Cancel: the dialog ignores clicks for a moment after it opens.
    await page.keyboard.press("Escape");
  }
  const interpreted = page.locator("main :is(script, img, iframe, article button[onfocus], [onmouseover])");
  await expect(interpreted).toHaveCount(0);
  const card = ui.cards.first();
  await ui.reviewButton(card).click();
  await ui.notes.fill(allPayloads);
  await ui.submit.click();
  await expect(ui.toasts.getByText("Review submitted!")).toBeVisible();
  await ui.notesButton(card, "1 note for No").click();
  await expect(ui.noteTexts(card)).toHaveText(allPayloads);
  await page.reload();
  await expect(card.getByText("You reviewed this show")).toBeVisible();
  await sql`delete from reviews where show_id like 'payload-%'`.execute(db);
  await sql`delete from shows where id like 'payload-%'`.execute(db);
  await untilListed(environment, 0);
});

test("payloads in a search are shown as text, without script tags", async ({ page, ui, visit }) => {
  for (const text of inTexts(100)) {
    await visit(`/?search=${encodeURIComponent(text)}`);
    const searched = (await ui.searchBox.inputValue()).trim();
    expect(searched).not.toMatch(/<\/?script/i);
    if (!/script/.test(text)) expect(searched).toBe(text.trim());
    expect(await page.title()).toContain(searched);
  }
});

test("payloads in a sign-in error and an e-mail are shown as text", async ({ page, ui, visit }) => {
  for (const text of inTexts(300)) {
    await visit("/auth");
    await ui.continueWith("GitHub").click();
    await expect(page).toHaveTitle(/GitHub/);
    const state = new URL(page.url()).searchParams.get("state");
    await visit(
      `/auth/v1/callback?error=access_denied&error_description=${encodeURIComponent(text)}&state=${state}`,
    );
    await expect(ui.toasts.getByRole("alert")).toContainText(text.trim());
  }
  const email = `<img/src=x/onerror=hit()>"'&lt;${crypto.randomUUID()}@people.example`;
  await ui.continueWith("Google").click();
  await page.getByRole("textbox", { name: "E-mail" }).waitFor();
  await page.locator("form").evaluateAll((forms) => {
    for (const form of forms) if (form instanceof HTMLFormElement) form.noValidate = true;
  });
  await ui.submitAccount(email);
  await expect(ui.email(email)).toBeVisible();
  await page.reload();
  await expect(ui.email(email)).toBeVisible();
});

async function injectMarkup(page: Page, keepPolicy: boolean): Promise<void> {
  const markup = "<script>hit()</script><img src=x onerror=hit()><svg onload=hit()></svg>";
  await page.route("**/*", async (route) => {
    if (!route.request().isNavigationRequest()) return route.continue();
    const response = await route.fetch();
    const headers = response.headers();
    if (!keepPolicy) delete headers["content-security-policy"];
    await route.fulfill({ headers, body: (await response.text()).replace("</body>", `${markup}</body>`) });
  });
}

const missingImage = [/^404: .*\/x$/, /^console error: Failed to load resource: .* 404/, /^failed: .*\/x$/];

test("injected markup runs, unless the policy blocks it", async ({ page, visit, hits, problems }) => {
  problems.allow(...missingImage);
  for (const what of ["inline script", "event handler"])
    problems.expect(new RegExp(`${what} violates.* Content Security Policy`));
  await injectMarkup(page, true);
  await visit("/");
  await page.waitForLoadState("networkidle");
  expect(hits).toEqual([]);
  await page.unrouteAll();
  await injectMarkup(page, false);
  await visit("/");
  await expect.poll(() => hits.length).toBe(3);
  hits.length = 0;
});

test("Trusted Types turn innerHTML into text and refuse script URLs", async ({ page, visit, problems }) => {
  problems.expect(/requires 'TrustedScriptURL'/);
  await visit("/");
  const refusal = await page.evaluate(() => {
    const paragraph = document.createElement("p");
    paragraph.innerHTML = "<img src=x onerror=hit()> & <b>more</b>";
    document.body.append(paragraph);
    try {
      document.createElement("script").src = "/assets/root.js";
    } catch (error) {
      return String(error);
    }
  });
  expect(refusal).toContain("TypeError");
  await expect(page.getByText("<img src=x onerror=hit()> & <b>more</b>", { exact: true })).toBeVisible();
});
