import { expect, test, withAndWithoutJavaScript } from "./support/test.ts";

withAndWithoutJavaScript(() => {
  test("the header names the site and says what it is", async ({ page, visit }) => {
    await visit("/");
    const header = page.getByRole("banner");
    await expect(header.getByRole("heading", { level: 1 })).toHaveText("Front Row?");
    await expect(header.getByRole("link", { name: "Front Row?" })).toHaveAttribute("href", "/");
    await expect(header.getByText("Edinburgh Fringe Festival Show Reviews", { exact: true })).toBeVisible();
  });

  test("the search box says what can be searched and takes 100 characters", async ({ screen, visit }) => {
    await visit("/");
    await expect(screen.box).toBeVisible();
    await expect(screen.box).toHaveAttribute("placeholder", "Search shows, artists, or venues...");
    await expect(screen.box).toHaveAccessibleName("Search shows, artists, or venues");
    await expect(screen.box).toHaveAttribute("maxlength", "100");
  });

  test("four filter buttons stand in order under their label, and All Shows is on", async ({ page, screen, visit }) => {
    await visit("/");
    await expect(page.getByText("Filter by audience interaction:", { exact: true })).toBeVisible();
    await expect(screen.filters.getByRole("button")).toHaveText([
      "All Shows",
      "No Interaction",
      "Some Interaction",
      "Lots of Interaction",
    ]);
    await expect(screen.filters.getByRole("button", { pressed: true })).toHaveText(["All Shows"]);
  });

  test("20 shows are listed, those reviewed last first", async ({ screen, visit }) => {
    await visit("/");
    await expect(screen.titles).toHaveText([
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

  for (const [address, line] of [
    ["/", "Showing 1-20 of 130 shows for 2025"],
    ["/?page=2", "Showing 21-40 of 130 shows for 2025"],
    ["/?page=7", "Showing 121-130 of 130 shows for 2025"],
    ["/?interaction=no", "Showing 1-20 of 29 shows for 2025"],
    ["/?interaction=yes&interaction=very_little", "Showing 1-8 of 8 shows for 2025"],
    ["/?interaction=no&interaction=very_little&interaction=yes", "Showing 1-20 of 32 shows for 2025"],
    ["/?search=cowgate&page=3", 'Showing 41-45 of 45 shows for 2025 matching "cowgate"'],
    ["/?search=moth", 'Showing 1-1 of 1 show for 2025 matching "moth"'],
    ["/?search=evening&interaction=no&page=2", 'Showing 21-24 of 24 shows for 2025 matching "evening"'],
    ["/?search=%3C3", 'Showing 1-1 of 1 show for 2025 matching "<3"'],
  ] as const) {
    test(`${address} says: ${line}`, async ({ screen, visit }) => {
      await visit(address);
      await expect(screen.summary).toHaveText(line);
      const [, first, last] = /(\d+)-(\d+)/.exec(line) ?? [];
      await expect(screen.cards).toHaveCount(Number(last) - Number(first) + 1);
    });
  }

  for (const [address, hint] of [
    ["/?search=zzz", "Try adjusting your search terms"],
    ["/?search=moth&interaction=no", "Try adjusting your search terms"],
  ] as const) {
    test(`${address} says that nothing was found, and what to do`, async ({ page, screen, visit }) => {
      await visit(address);
      await expect(screen.summary).toHaveText("No shows found");
      await expect(page.getByText(hint, { exact: true })).toBeVisible();
      await expect(screen.cards).toHaveCount(0);
      await expect(screen.pagination).toHaveCount(0);
      await expect(page.getByText("Shows are updated every 12 hours.")).toHaveCount(0);
    });
  }

  for (const [address, like] of [
    ["/?page=zero", "/"],
    ["/?page=0", "/"],
    ["/?page=-3", "/"],
    ["/?page=2.5&utm_source=poster", "/"],
    ["/?interaction=maybe", "/"],
    ["/?interaction=maybe&interaction=yes", "/?interaction=yes"],
    ["/?search=%20%20", "/"],
    ["/?search=%3Cscript%3Ealert(1)%3C/script%3Emoth", "/?search=moth"],
    ["/?page=99", "/?page=7"],
    ["/?page=99999999999999999999999", "/?page=7"],
    ["/?search=cowgate&page=4", "/?search=cowgate&page=3"],
  ] as const) {
    test(`${address} shows the same as ${like}`, async ({ page, screen, visit }) => {
      const shown = async () => ({
        title: (await page.title()).trim(),
        summary: await screen.summary.innerText(),
        titles: await screen.titles.allInnerTexts(),
        box: await screen.box.inputValue(),
        pressed: await screen.filters.getByRole("button", { pressed: true }).allInnerTexts(),
        current: await screen.pagination.locator("[aria-current]").allInnerTexts(),
      });
      await visit(like);
      const wanted = await shown();
      await visit(address);
      expect(await shown()).toEqual(wanted);
    });
  }
});

test("each view has its own title in the browser's tab", async ({ page, visit }) => {
  const titles = new Set<string>();
  const views = ["/", "/?page=2", "/?search=moth", "/?interaction=yes", "/?search=moth&interaction=yes", "/nowhere"];
  for (const view of views) titles.add(await titleOf(view));
  expect(titles.size).toBe(views.length);
  for (const title of titles) expect(title).toContain("Front Row?");

  async function titleOf(view: string): Promise<string> {
    await visit(view);
    await expect(page).not.toHaveTitle("");
    return page.title();
  }
});
