import { expect, type Locator, type Page } from "@playwright/test";

/** The parts of the show list, found by role and accessible name. */
export interface List {
  searchBox: Locator;
  filters: Locator;
  filter(name: FilterName): Locator;
  /** The line with the number of shows. */
  summary: Locator;
  loading: Locator;
  /** What screen readers hear when loading takes longer. */
  loadingStatus: Locator;
  /** The notice above a list that is missing or incomplete, and its button. */
  notice: Locator;
  tryAgain: Locator;
  cards: Locator;
  card(title: string): Locator;
  /** The titles of the cards, in order. */
  titles: Locator;
  pagination: Locator;
  /** The link to a page, by its number or as `Previous page` or `Next page`. */
  pageLink(name: string | number): Locator;
  toasts: Locator;
  /** The toasts that report no failure; failures are alerts. */
  messages: Locator;
}

export const filterNames = [
  "All Shows",
  "No Interaction",
  "Some Interaction",
  "Lots of Interaction",
] as const;
export type FilterName = (typeof filterNames)[number];

export function listOf(page: Page): List {
  const main = page.getByRole("main");
  const filters = main.getByRole("group", { name: "Filter by audience interaction:" });
  const pagination = main.getByRole("navigation", { name: "Pagination", exact: true });
  return {
    searchBox: main.getByRole("search").getByRole("searchbox"),
    filters,
    filter: (name) => filters.getByRole("button", { name, exact: true }),
    summary: main.getByRole("status").first(),
    loading: main.getByText("Loading shows...", { exact: true }).first(),
    loadingStatus: main.getByRole("status").filter({ hasText: "Loading shows..." }),
    notice: main.getByRole("alert"),
    tryAgain: main.getByRole("alert").getByRole("button", { name: "Try again", exact: true }),
    cards: main.getByRole("article"),
    card: (title) => main.getByRole("article", { name: title, exact: true }),
    titles: main.getByRole("article").getByRole("heading", { level: 3 }),
    pagination,
    pageLink: (name) =>
      pagination.getByRole("link", { name: typeof name === "number" ? `Page ${name}` : name, exact: true }),
    toasts: page.getByRole("region", { name: "Notifications" }),
    messages: page.getByRole("region", { name: "Notifications" }).locator("[aria-live=polite] > *"),
  };
}

/** Expects an element to be on the screen, and nothing in front of its upper and lower edge. */
export async function expectOnTop(element: Locator): Promise<void> {
  await expect(element).toBeInViewport({ ratio: 1 });
  const isOnTop = (node: Element) => {
    const { left, width, top, bottom } = node.getBoundingClientRect();
    return [top + 2, bottom - 2].every((y) => node.contains(document.elementFromPoint(left + width / 2, y)));
  };
  await expect.poll(() => element.evaluate(isOnTop)).toBe(true);
}

/** By how many px the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
