import { expect, type Locator, type Page } from "@playwright/test";
import { SESSION_KEY } from "../../../src/auth/ui/session/session-store.ts";
import type { Provider } from "../../../src/domain/account.ts";
import { signIn as signInOverHttp } from "../../support/accounts.ts";

export const filterNames = [
  "All Shows",
  "No Interaction",
  "Some Interaction",
  "Lots of Interaction",
] as const;

export type Ui = ReturnType<typeof uiOf>;

export function uiOf(page: Page) {
  const header = page.getByRole("banner");
  const main = page.getByRole("main");
  const filters = main.getByRole("group", { name: "Filter by audience interaction:" });
  const pagination = main.getByRole("navigation", { name: "Pagination", exact: true });
  const dialog = page.getByRole("dialog");
  return {
    searchBox: main.getByRole("search").getByRole("searchbox"),
    filters,
    filter: (name: (typeof filterNames)[number]) => filters.getByRole("button", { name, exact: true }),
    summary: main.getByRole("status").first(),
    loading: main.getByText("Loading shows...", { exact: true }).first(),
    loadingStatus: main.getByRole("status").filter({ hasText: "Loading shows..." }),
    notice: main.getByRole("alert"),
    tryAgain: main.getByRole("alert").getByRole("button", { name: "Try again", exact: true }),
    cards: main.getByRole("article"),
    card: (title: string) => main.getByRole("article", { name: title, exact: true }),
    titles: main.getByRole("article").getByRole("heading", { level: 3 }),
    pagination,
    pageLink: (name: string | number) =>
      pagination.getByRole("link", { name: typeof name === "number" ? `Page ${name}` : name, exact: true }),
    toasts: page.getByRole("region", { name: "Notifications" }),
    messages: page.getByRole("region", { name: "Notifications" }).locator("[aria-live=polite] > *"),
    dialog,
    interactionOption: (name: string) => dialog.getByRole("radio", { name, exact: true }),
    notes: dialog.getByRole("textbox", { name: "Additional notes (optional)", exact: true }),
    /** The visible counter. Another one is announced later. */
    counter: dialog.getByText(/^\d+\/1000 characters$/).and(page.locator(":not([aria-live])")),
    submit: dialog.getByRole("button", { name: "Submit Review", exact: true }),
    cancel: dialog.getByRole("button", { name: "Cancel", exact: true }),
    reviewButton: (card: Locator) => card.getByRole("button", { name: "Review This Show", exact: true }),
    async open(card: Locator) {
      const reviewed = this.waitForReviewedResponse();
      await this.reviewButton(card).click();
      await reviewed;
    },
    async signInAndOpen(email: string, title: string): Promise<Locator> {
      await this.openSignedIn(email, `/?${new URLSearchParams({ search: title.toLowerCase() })}`);
      const card = this.card(title);
      await this.open(card);
      return card;
    },
    notesButton: (card: Locator, name: string) => card.getByRole("button", { name, exact: true }),
    openNotes: (card: Locator) => card.getByRole("region", { name: /^Notes for / }),
    noteTexts(card: Locator) {
      return this.openNotes(card).getByRole("paragraph");
    },
    signInButton: header.getByRole("button", { name: "Sign In", exact: true }),
    signOutButton: header.getByRole("button", { name: "Sign Out", exact: true }),
    email: (email: string) => header.getByText(email, { exact: true }),
    continueWith: (name: "Google" | "GitHub") => page.getByRole("button", { name: `Continue with ${name}` }),
    async submitAccount(email: string, { verified = true, press = "Continue" } = {}) {
      await page.getByRole("textbox", { name: "E-mail", exact: true }).fill(email);
      await page.getByRole("checkbox", { name: "E-mail is verified" }).setChecked(verified);
      await page.getByRole("button", { name: press, exact: true }).click();
    },
    /** Signs in over HTTP: the next page that the browser opens is signed in. */
    async signIn(email: string) {
      const { origin } = new URL((await page.request.get("/healthz")).url());
      const session = await signInOverHttp(origin, "github", { email });
      const entry = { name: SESSION_KEY, value: JSON.stringify(session) };
      await page.context().setStorageState({ cookies: [], origins: [{ origin, localStorage: [entry] }] });
    },
    /** Otherwise a page whose session ended, or whose clock jumped, would report an error. */
    async waitForReviewedResponse() {
      // Not `response.finished()`: a request that the page replaces would never finish.
      await page.waitForEvent("requestfinished", (request) => request.url().endsWith("/api/reviews/mine"));
    },
    async openSignedIn(email: string, address = "/") {
      await this.signIn(email);
      const reviewed = this.waitForReviewedResponse();
      await page.goto(address);
      await reviewed;
      await this.signOutButton.waitFor();
    },
    async signInByPages(email: string, provider: Provider = "google") {
      await page.goto(provider === "google" ? "/" : "/auth");
      const reviewed = this.waitForReviewedResponse();
      if (provider === "google") await this.signInButton.click();
      else await this.continueWith("GitHub").click();
      await this.submitAccount(email);
      await reviewed;
      await this.signOutButton.waitFor();
    },
  };
}

/** Expects an element on the screen, with nothing over its upper and lower edge. */
export async function expectOnTop(element: Locator): Promise<void> {
  await expect(element).toBeInViewport({ ratio: 1 });
  const isOnTop = (node: Element) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    return [left + 4, (left + right) / 2, right - 4].every((x) =>
      [top + 2, bottom - 2].every((y) => node.contains(document.elementFromPoint(x, y))),
    );
  };
  await expect.poll(() => element.evaluate(isOnTop)).toBe(true);
}

export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
