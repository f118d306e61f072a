import type { Page } from "@playwright/test";
import { filterNames, type List } from "./support/list.ts";
import { expect, once, test, withAndWithoutJavaScript } from "./support/test.ts";

withAndWithoutJavaScript((javaScriptEnabled, looked) => {
  test(
    "the list has its header, search box, filters and summary line",
    looked,
    async ({ page, list, visit }) => {
      await visit("/");
      const header = page.getByRole("banner");
      await expect(header.getByRole("heading", { level: 1 })).toHaveText("Front Row?");
      await expect(header.getByRole("link", { name: "Front Row?" })).toHaveAttribute("href", "/");
      await expect(header.getByText("Edinburgh Fringe Festival Show Reviews", { exact: true })).toBeVisible();

      await expect(list.searchBox).toBeVisible();
      await expect(list.searchBox).toHaveAttribute("placeholder", "Search shows, artists, or venues...");
      await expect(list.searchBox).toHaveAccessibleName("Search shows, artists, or venues");
      await expect(list.searchBox).toHaveAttribute("maxlength", "100");

      await expect(page.getByText("Filter by audience interaction:", { exact: true })).toBeVisible();
      await expect(list.filters.getByRole("button")).toHaveText([...filterNames]);
      await expect(list.filters.getByRole("button", { pressed: true })).toHaveText(["All Shows"]);

      await expect(list.summary).toBeVisible();
      await expect(list.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
    },
  );

  test("the first page lists 20 shows, the most recently reviewed first", looked, async ({ list, visit }) => {
    await visit("/");
    await expect(list.titles).toHaveText([
      "Moth Hour",
      "The Human Pyramid of Leith",
      "Half a Handshake",
      "Pick a Card",
      "Three-Way Split",
      "Sit Back",
      "Clap Along",
      "The Floor Is Lava",
      ...Array.from({ length: 12 }, (_, index) => `Quiet Evening ${index + 1}`),
    ]);
  });

  test("a search without matches shows the empty list with advice", looked, async ({ page, list, visit }) => {
    for (const address of ["/?search=zzz", "/?search=moth&interaction=no"]) {
      await visit(address);
      await expect(list.summary).toHaveText("No shows found");
      await expect(page.getByText("Try adjusting your search terms", { exact: true })).toBeVisible();
      await expect(page.getByText("12 hours")).toHaveCount(0);
      await expect(list.cards).toHaveCount(0);
      await expect(list.pagination).toHaveCount(0);
    }
  });

  test(
    "invalid parameters show the list of the nearest valid address",
    looked,
    async ({ page, list, visit }) => {
      const addresses = [
        ["/", "/?page=zero", "/?page=2.5&utm_source=poster", "/?interaction=maybe", "/?search=%20%20"],
        ["/?search=moth", "/?search=%3Cscript%3Ealert(1)%3C/script%3Emoth"],
        [`/?search=${"x".repeat(100)}`, `/?search=${"x".repeat(300)}`],
        ["/?page=7", "/?page=99999999999999999999999"],
      ] as const;
      for (const [validAddress, ...invalidAddresses] of addresses) {
        await visit(validAddress);
        const expected = await listState(page, list);
        for (const address of invalidAddresses) {
          await visit(address);
          expect(await listState(page, list), address).toEqual(expected);
        }
      }
    },
  );

  if (javaScriptEnabled) return; // with it, other tests come to such lists by their controls

  test("the summary line matches the listed shows", once, async ({ list, visit }) => {
    for (const [address, summary] of [
      ["/?page=7", "Showing 121-130 of 130 shows for 2025"],
      ["/?interaction=yes&interaction=very_little", "Showing 1-8 of 8 shows for 2025"],
      ["/?interaction=no&interaction=very_little&interaction=yes", "Showing 1-20 of 32 shows for 2025"],
      ["/?search=cowgate&page=3", 'Showing 41-45 of 45 shows for 2025 matching "cowgate"'],
      ["/?search=evening&interaction=no&page=2", 'Showing 21-24 of 24 shows for 2025 matching "evening"'],
      ["/?search=%3C3", 'Showing 1-1 of 1 show for 2025 matching "<3"'],
    ] as const) {
      await visit(address);
      await expect(list.summary, address).toHaveText(summary);
      const [, first, last] = /(\d+)-(\d+)/.exec(summary) ?? [];
      await expect(list.cards, address).toHaveCount(Number(last) - Number(first) + 1);
    }
  });
});

async function listState(page: Page, list: List) {
  return {
    documentTitle: await page.title(),
    summary: await list.summary.textContent(),
    titles: await list.titles.allTextContents(),
    box: await list.searchBox.inputValue(),
    pressed: await list.filters.getByRole("button", { pressed: true }).allTextContents(),
    page: await list.pagination.locator("[aria-current=page]").allTextContents(),
  };
}

test("each view has its own document title", once, async ({ page, list, visit, problems }) => {
  problems.expect(/404/);
  const views = [
    "/",
    "/?page=2",
    "/?search=moth",
    "/?interaction=yes",
    "/?search=moth&interaction=yes",
    "/nowhere",
  ];
  const titles = new Set<string>();
  for (const view of views) {
    await visit(view);
    titles.add(await page.title());
  }
  expect(titles.size).toBe(views.length);
  for (const title of titles) expect(title).toContain("Front Row?");

  await visit("/");
  await list.filter("Lots of Interaction").click();
  await expect(page).toHaveTitle([...titles][3] ?? "");
});

test("the server-rendered page contains the list", once, async ({ request }) => {
  const html = await (await request.get("/")).text();
  expect(html).toContain("Showing 1-20 of 130 shows for 2025");
  for (const title of ["Moth Hour", "Half a Handshake", "Quiet Evening 12"]) expect(html).toContain(title);
});
