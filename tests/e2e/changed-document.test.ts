import type { Page } from "@playwright/test";
import { holdScripts } from "./support/hold-scripts.ts";
import { expectToast } from "./support/review-ui.ts";
import { expect, soakUnless, test, untilInteractive } from "./support/test.ts";

/** Changes each document on its way, as a CDN does. */
async function changeDocuments(page: Page, change: (html: string) => string): Promise<void> {
  await page.route(
    ({ pathname }) => pathname === "/",
    async (route) => {
      const response = await route.fetch();
      const html = await response.text();
      const changed = change(html);
      expect(changed).not.toBe(html);
      await route.fulfill({ response, body: changed });
    },
  );
}

const hiddenEmail =
  '<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="d2bbbcb4bd">[email&#160;protected]</a>';
const injected = (name: string) => `<script src="/cdn-cgi/${name}" async></script>`;

const harmless: [string, (html: string) => string][] = [
  [
    "scripts in head and body and at its end",
    (html) =>
      html
        .replace("<head>", `<head>${injected("rum.js")}`)
        .replace(/<body[^>]*>/, `$&${injected("beacon.js")}`)
        .replace("</body>", `${injected("email-decode.min.js")}</body>`),
  ],
  ["an element in the body", (html) => html.replace(/<body[^>]*>/, '$&<div id="banner">Welcome</div>')],
  [
    "a wrapped text, and its comments removed",
    (html) => html.replace("Filter by audience interaction:", "<font>$&</font>").replace(/<!--.*?-->/g, ""),
  ],
];

const renderedAnew: [string, (html: string) => string][] = [
  ["hidden e-mail addresses", (html) => html.replace(/(<h3[^>]*>)/g, `$1${hiddenEmail}`)],
  ["a rewritten text", (html) => html.replace("Audience Interaction</h", "Audience interaction</h")],
  ["a removed element", (html) => html.replace(/<h3.*?<\/h3>/, "")],
];

for (const [what, change] of [...harmless, ...renderedAnew]) {
  test(
    `a document with ${what} keeps typed text and becomes interactive`,
    soakUnless(what === harmless[0]?.[0] || what === renderedAnew[0]?.[0]),
    async ({ page, ui, problems }) => {
      problems.allow(/cdn-cgi/, /^console error: Failed to load resource/);
      if (renderedAnew.some(([name]) => name === what)) {
        problems.expect(/^console error: The page was changed on its way/);
      }
      await changeDocuments(page, change);
      const releaseScripts = await holdScripts(page);
      await page.goto("/?interaction=no", { waitUntil: "commit" });
      await ui.searchBox.fill("evening");
      releaseScripts();
      await untilInteractive(page);
      await expect(ui.searchBox).toHaveValue("evening");
      await expect(ui.searchBox).toBeFocused();
      await expect(ui.summary).toHaveText(/matching "evening"$/);
      await page.keyboard.type("s");
      await expect(ui.searchBox).toHaveValue("evenings");
      await expect(ui.summary).toHaveText("No shows found");
      await ui.searchBox.fill("");
      await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
      await ui.filter("All Shows").click();
      await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
    },
  );
}

test("a press is not lost in a document that is rendered anew", async ({ page, ui, problems }) => {
  problems.allow(/cdn-cgi/, /^console error: Failed to load resource/);
  problems.expect(/^console error: The page was changed on its way/);
  await changeDocuments(page, (html) => renderedAnew.reduce((text, [, change]) => change(text), html));
  const releaseScripts = await holdScripts(page);
  await page.goto("/", { waitUntil: "commit" });
  await ui.cards.nth(3).getByRole("button", { name: "Review This Show", exact: true }).click();
  releaseScripts();
  await untilInteractive(page);
  await expectToast(page, ["Sign in required", "Please sign in to review shows."], "status");
});
