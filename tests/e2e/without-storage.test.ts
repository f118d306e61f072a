import { YEAR } from "../../src/domain/programme.ts";
import { test } from "./support/accounts.ts";
import { expect, untilInteractive } from "./support/test.ts";

const NOTHING_STORED = "This browser does not let the site keep anything, and signing in needs that.";

/** The router warns that it cannot store scroll positions. */
const warning = /^console warning: Failed to save scroll positions/;

test.use({ serviceWorkers: "allow" });

/** What a browser may block. Runs in the page. */
function block(kind: "refused" | "missing" | "empty"): void {
  const refuse = () => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  };
  const reject = () => Promise.reject(new DOMException("The operation is insecure.", "SecurityError"));
  const full = { getItem: () => null, setItem: refuse, removeItem: refuse, key: refuse, length: 0 };
  const rejecting = {
    request: reject,
    query: reject,
    match: reject,
    has: reject,
    open: reject,
    keys: reject,
  };
  for (const [owner, names, part] of [
    [window, ["localStorage", "sessionStorage"], full],
    [window, ["indexedDB", "caches", "cookieStore"], rejecting],
    [navigator, ["locks", "storage"], rejecting],
    [navigator, ["serviceWorker"], { register: reject, getRegistration: reject, addEventListener() {} }],
  ] as const)
    for (const name of names) {
      const get = { refused: refuse, missing: () => undefined, empty: () => part }[kind];
      Object.defineProperty(owner, name, { get });
    }
  if (kind === "missing") Object.assign(window, { BroadcastChannel: undefined });
  else Object.assign(window, { BroadcastChannel: refuse });
}

for (const kind of ["refused", "missing", "empty"] as const)
  test(`with all storage ${kind}, one browses, and Sign In says what it needs`, async ({
    page,
    context,
    ui,
    visit,
    problems,
  }) => {
    problems.allow(warning);
    await context.addInitScript(block, kind);
    await page.clock.install();
    const callbacks = kind === "refused" ? ["/auth", "/?code=12345678&sb_flow_id=12345678", "/?error=x"] : [];
    for (const address of [...callbacks, "/"]) {
      await visit(address);
      // The site would save the list now.
      await page.clock.runFor(12_000);
      await page.waitForLoadState("networkidle");
      await page.reload();
      await untilInteractive(page);
    }
    const alert = ui.toasts.getByRole("alert");
    await ui.pageLink("Next page").click();
    await expect(ui.summary).toHaveText(`Showing 21-40 of 130 shows for ${YEAR}`);
    await ui.signInButton.click();
    await expect(alert).toContainText(NOTHING_STORED);
    await ui.searchBox.fill("sit");
    await expect(ui.summary).toHaveText(`Showing 1-1 of 1 show for ${YEAR} matching "sit"`);
    await ui.reviewButton(ui.cards).click();
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await ui.continueWith("GitHub").click();
    await expect(alert).toContainText(NOTHING_STORED);
    await expect(alert).toHaveCount(1);
    await page.getByRole("link", { name: "privacy policy" }).click();
    await expect(page).toHaveURL("/privacy");
    await page.goBack();
    await untilInteractive(page);
  });
