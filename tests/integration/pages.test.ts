import { expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { readSnapshot } from "../../src/catalogue/snapshot-queries.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import {
  CURLY_TITLE,
  EMOJI_TITLE,
  MARKUP_TITLE,
  showIdOf,
  writeProgramme,
} from "../e2e/support/programme.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { givenChanged, givenReview } from "../support/given.ts";
import { openPage, type PlainPage, textOf } from "../support/plain-page.ts";
import { setUpDatabase } from "../support/set-up.ts";

const database = await setUpDatabase();
const { db } = database;
await writeProgramme(db);
await givenChanged(db, "reviews", { notes: "I was <i>picked</i>." }, { show_id: "show-1" });
const clapping = { show_id: showIdOf("Clap Along"), audience_interaction: "very_little" } as const;
await givenReview(db, { ...clapping, created_at: new Date("2025-08-01") });
const catalogue = createCatalogue();
await catalogue.replace(() => readSnapshot(db));
const { get } = await createBuiltApp(database, { catalogue });
const open = (address: string) => openPage(get, address);
const summaryOf = (page: PlainPage) => textOf(page.one("main [role=status]"));
const titlesOf = (page: PlainPage) => page.texts("article h3");
const pressedOf = (page: PlainPage) => page.texts("[aria-pressed=true]");
const keptOf = (page: PlainPage) => {
  const id = page.one("[aria-labelledby=filter-label]").getAttribute("aria-describedby");
  return textOf(page.one(`#${id}`));
};
const searchedOf = (page: PlainPage) => page.one("#search").getAttribute("value");
const paragraphsOf = (page: PlainPage) => page.texts("main p");

const paginationOf = (page: PlainPage) =>
  [...page.document.querySelectorAll("nav :is(a, [role=link], li:not(:has(a)))")]
    .map((part) => {
      if (part.getAttribute("aria-current") === "page") return `[${textOf(part)}]`;
      return part.getAttribute("aria-disabled") === "true" ? `(${textOf(part)})` : textOf(part);
    })
    .join(" ");

function cardOf(page: PlainPage, title: string) {
  const heading = page.one("article h3", title);
  const card = page.one(`article[aria-labelledby="${heading.id}"]`);
  return {
    card,
    link: heading.querySelector("a"),
    lines: [...card.querySelectorAll("p")].map(textOf),
    tallies: [...card.querySelectorAll("li")].map((tally) =>
      [...tally.querySelectorAll("[aria-hidden]")].map(textOf).join(" ").trim(),
    ),
    heard: [...card.querySelectorAll("li > span:not([aria-hidden])")].map(textOf),
    bars: [...card.querySelectorAll("rect")].map((bar) => Number(bar.getAttribute("width"))),
  };
}

test("each page has a language, a title and one main heading of its own, and no heading skips a level", async () => {
  for (const [address, heading, title] of [
    ["/", "Front Row?", "Front Row? Edinburgh Fringe Festival Show Reviews"],
    ["/auth", "Welcome", "Sign in – Front Row?"],
    ["/terms", "Terms of service", "Terms of service – Front Row?"],
    ["/privacy", "Privacy policy", "Privacy policy – Front Row?"],
    ["/nowhere", "Oops! Page not found", "Page not found – Front Row?"],
  ] as const) {
    const page = await open(address);
    expect(page.one("html").getAttribute("lang")).toMatch(/^en/);
    expect(page.texts("h1")).toEqual([heading]);
    expect(page.document.title).toBe(title);
  }
  const list = await open("/?search=moth");
  const headings = list.document.querySelectorAll("h1, h2, h3, h4, h5, h6");
  expect([...headings].map((heading) => heading.tagName)).toEqual(["H1", "H2", "H3", "H4"]);
});

test("the list has a header, a search box, filters, a summary and the most recently reviewed shows", async () => {
  const page = await open("/");
  expect(page.one("h1 a").getAttribute("href")).toBe("/");
  expect(textOf(page.one("header p"))).toBe("Edinburgh Fringe Festival Show Reviews");
  const box = page.one("#search");
  expect(box.getAttribute("placeholder")).toBe("Search shows, artists, or venues...");
  expect(textOf(page.one("label[for=search]"))).toBe("Search shows, artists, or venues");
  expect(box.getAttribute("maxlength")).toBe("100");
  expect(textOf(page.one("#filter-label"))).toBe("Filter by audience interaction:");
  const filters = page.texts("[aria-labelledby=filter-label] button");
  expect(filters).toEqual(["All Shows", "No Interaction", "Some Interaction", "Lots of Interaction"]);
  expect(pressedOf(page)).toEqual(["All Shows"]);
  expect(summaryOf(page)).toBe(`Showing 1-20 of 130 shows for ${YEAR}`);
  expect(titlesOf(page)).toEqual([
    ...["Moth Hour", "The Human Pyramid of Leith", "Half a Handshake", "Pick a Card"],
    ...["Three-Way Split", "Sit Back", "Clap Along", "The Floor Is Lava"],
    ...Array.from({ length: 12 }, (_, index) => `Quiet Evening ${index + 1}`),
  ]);
});

test("the summary line matches the listed shows", async () => {
  for (const [address, summary] of [
    ["/?search=cowgate&page=3", `Showing 41-45 of 45 shows for ${YEAR} matching "cowgate"`],
    ["/?search=evening&interaction=no&page=2", `Showing 21-24 of 24 shows for ${YEAR} matching "evening"`],
    ["/?search=%3C3", `Showing 1-1 of 1 show for ${YEAR} matching "<3"`],
  ] as const) {
    const page = await open(address);
    expect(summaryOf(page), address).toBe(summary);
    const [, first, last] = /(\d+)-(\d+)/.exec(summary) ?? [];
    expect(titlesOf(page), address).toHaveLength(Number(last) - Number(first) + 1);
  }
});

test("an empty list gives advice and has no pages", async () => {
  for (const address of ["/?search=zzz", "/?search=moth&interaction=no"]) {
    const page = await open(address);
    expect(summaryOf(page)).toBe("No shows found");
    expect(searchedOf(page)).toBe(new URLSearchParams(address.slice(2)).get("search"));
    expect(paragraphsOf(page)).toContain("Try adjusting your search terms");
    expect(textOf(page.one("main"))).not.toContain("12 hours");
    expect([...titlesOf(page), ...page.texts("nav")]).toEqual([]);
  }
});

test("after a slip of the finger a link leads to what was meant, with the filters that keep it", async () => {
  const page = await open("/?search=clpa+along&interaction=very_little&announced=no");
  const meant = await page.follow("Did you mean Clap Along?");
  expect(meant.address).toBe("/?search=Clap+Along");
  expect(titlesOf(meant)).toEqual(["Clap Along"]);
  const kept = await open("/?search=clpa+along&interaction=very_little&page=2");
  expect((await kept.follow("Did you mean Clap Along?")).address).toBe(
    "/?search=Clap+Along&interaction=very_little",
  );
  const excluded = await open("/?search=clap+along&announced=no");
  expect(textOf(excluded.one("main"))).not.toContain("Did you mean");
});

test("an address that another app shares finds its show, in a text and apart from it (docs/product.md §2.24)", async () => {
  const other = "https://moth-hour.example/edinburgh?from=list";
  const shown = "https://moth-hour.example/edinburgh?lang=en&from=list";
  for (const shared of [
    `search=${encodeURIComponent(`Look!\n${shown}&fbclid=1#dates`)}`,
    `search=Look%21&url=${encodeURIComponent(shown)}`,
    `search=${encodeURIComponent(shown)}&url=`,
  ])
    expect(titlesOf(await open(`/?${shared}`)), shared).toHaveLength(1);
  expect(titlesOf(await open(`/?${new URLSearchParams({ url: other })}`))).toEqual([]);
});

test("each filter toggles on its own and keeps the search, and All Shows clears them", async () => {
  let page = await open("/?page=2");
  const [no, some, lots] = ["No Interaction", "Some Interaction", "Lots of Interaction"] as const;
  for (const [filter, address, summary, kept, ...pressed] of [
    [lots, "/?interaction=yes", "1-6 of 6", "Yes", lots],
    [some, "/?interaction=very_little&interaction=yes", "1-8 of 8", "Very little or Yes", some, lots],
    [lots, "/?interaction=very_little", "1-5 of 5", "Very little", some],
    [no, "/?interaction=no&interaction=very_little", "1-20 of 30", "No or Very little", no, some],
    ["All Shows", "/?", "1-20 of 130", "", "All Shows"],
  ] as const) {
    page = await page.press(filter);
    expect(page.address).toBe(address);
    expect(summaryOf(page)).toBe(`Showing ${summary} shows for ${YEAR}`);
    expect(pressedOf(page)).toEqual(pressed);
    expect(keptOf(page)).toBe(kept && `Shows where at least one person said ${kept}.`);
  }
  const { lines } = cardOf(await open("/?interaction=yes"), "Sit Back");
  expect(lines).toEqual(expect.arrayContaining(["(4 reviews)", "Most common: No"]));
  page = await (await open("/?search=evening&page=2")).press("No Interaction");
  expect(page.address).toBe("/?search=evening&interaction=no");
  expect((await page.press("All Shows")).address).toBe("/?search=evening");
  const all = await (await open("/?interaction=no&interaction=yes")).press("Some Interaction");
  expect(summaryOf(all)).toBe(`Showing 1-20 of 32 shows for ${YEAR}`);
  expect(pressedOf(all)).toEqual([no, some, lots]);
  expect(keptOf(all)).toBe("Shows where at least one person said No, Very little or Yes.");
});

test("the links combine with filters and search, say what they keep, and a second click removes them", async () => {
  const announced = "Listing: audience participation announced.";
  for (const [link, parameter, count, filter, kept] of [
    ["Announced in the listing", "announced=yes", 3, "Lots of Interaction", announced],
    ["Nobody said Yes", "yes=none", 1, "No Interaction", "Shows with at least 5 reviews, none of them Yes."],
  ] as const) {
    let page = await open("/?page=3");
    expect(page.one("a", link).hasAttribute("aria-current")).toBe(false);
    page = await page.follow(link);
    expect(page.address).toBe(`/?${parameter}`);
    expect(page.one("a", link).getAttribute("aria-current")).toBe("true");
    expect(page.document.title).toBe(`${link} – Front Row?`);
    expect(titlesOf(page)).toHaveLength(count);
    expect(page.texts("#more-kept")).toEqual([kept]);
    expect(titlesOf(await page.press(filter))).not.toContain("Clap Along");
    page = await (await page.press("Some Interaction")).press("Search", { search: "clap" });
    expect(page.address).toBe(`/?search=clap&interaction=very_little&${parameter}`);
    expect(titlesOf(page)).toEqual(["Clap Along"]);
    page = await (await page.press("Some Interaction")).follow(link);
    expect(page.address).toBe("/?search=clap");
  }
  const both = await (await open("/?announced=yes")).follow("Nobody said Yes");
  expect([both.address, titlesOf(both)]).toEqual(["/?announced=yes&yes=none", ["Clap Along"]]);
  const none = await both.press("Lots of Interaction");
  expect(summaryOf(none)).toBe("No shows found");
  expect((await none.follow("Show all shows")).address).toBe("/");
});

test("a card's genre leads to its list, combines with all, and one press removes it", async () => {
  let page = await (await open("/?search=moth+hour")).follow("Comedy");
  expect(page.address).toBe("/?genre=Comedy");
  expect(page.document.title).toBe("Comedy – Front Row?");
  expect(new Set(page.texts(".card .tag a"))).toEqual(new Set(["Comedy"]));
  expect(pressedOf(page)).toEqual([]);
  page = await (await page.follow("Most said Yes")).press("Search", { search: "biscuit" });
  expect(page.address).toBe("/?search=biscuit&yes=most&genre=Comedy");
  expect(paragraphsOf(page)).toContain("No show matches “biscuit”, Most said Yes and Comedy.");
  page = await page.follow("Nobody said Yes");
  expect(page.address).toBe("/?search=biscuit&yes=none&genre=Comedy");
  expect((await page.follow("Comedy×")).address).toBe("/?search=biscuit&yes=none");
});

test("All Shows clears every filter, keeps the search, and is pressed only when no filter is on", async () => {
  for (const filters of ["announced=unknown", "yes=none", "genre=Opera", "interaction=no&announced=no"])
    for (const [search, rest] of [
      ["/?", ""],
      ["/?search=evening", "&page=2"],
    ] as const) {
      const page = await open(`${search}${search.endsWith("?") ? "" : "&"}${filters}${rest}`);
      expect(pressedOf(page), filters).not.toContain("All Shows");
      const all = await page.press("All Shows");
      expect(all.address).toBe(search);
      expect([pressedOf(all), all.texts("[aria-current=true]")]).toEqual([["All Shows"], []]);
    }
});

test("only filters that exclude each other say that no show can match both", async () => {
  for (const [filters, isExclusion] of [
    ["yes=none&interaction=yes", true],
    ["search=zzz&yes=none&interaction=yes&interaction=no", false],
    ["search=zzz&yes=none&interaction=very_little", false],
  ] as const) {
    const page = await open(`/?${filters}`);
    expect(summaryOf(page)).toBe("No shows found");
    expect(paragraphsOf(page).includes("No show can match both."), filters).toBe(isExclusion);
  }
});

test("Next, Previous and numbers lead to their pages; a search keeps the filters and starts on page 1", async () => {
  let page = await open("/");
  for (const [link, address, summary] of [
    ["Next page", "/?page=2", "21-40"],
    ["Page 7", "/?page=7", "121-130"],
    ["Previous page", "/?page=6", "101-120"],
    ["Page 1", "/", "1-20"],
  ] as const) {
    page = await page.follow(link);
    expect(page.address).toBe(address);
    expect(summaryOf(page)).toBe(`Showing ${summary} of 130 shows for ${YEAR}`);
  }
  page = await (await open("/?interaction=no&page=2")).press("Search", { search: "evening" });
  expect(page.address).toBe("/?search=evening&interaction=no");
  page = await page.follow("Next page");
  expect(page.address).toBe("/?search=evening&interaction=no&page=2");
  expect(searchedOf(page)).toBe("evening");
});

test("Share leads to the show with its notes, and from there to all shows", async () => {
  let page = await (await open("/?search=moth+hour")).follow("Share");
  expect(page.address).toBe("/?show=show-1");
  expect(page.document.title).toBe("Moth Hour – Front Row?");
  expect(textOf(cardOf(page, "Moth Hour").card)).toContain("I was <i>picked</i>.");
  const meanings = page.texts(".meanings dd");
  expect(meanings).toHaveLength(3);
  expect((await open("/terms")).texts("#answers ~ dl:first-of-type dd")).toEqual(meanings);
  page = await page.follow("‹ All shows");
  expect(page.address).toBe("/");
  page = await open("/?show=nothing");
  expect([page.status, summaryOf(page)]).toEqual([404, "No shows found"]);
  expect(titlesOf(await page.follow("‹ All shows"))).toHaveLength(20);
});

test("pages have five numbers around them, and the first and last; a single page has none", async () => {
  for (const [address, pages] of [
    ["/", "(Previous) [1] 2 3 4 5 … 7 Next"],
    ["/?page=3", "Previous 1 2 [3] 4 5 … 7 Next"],
    ["/?page=4", "Previous 1 2 3 [4] 5 6 7 Next"],
    ["/?page=7", "Previous 1 … 3 4 5 6 [7] (Next)"],
    ["/?search=matinee&page=5", "Previous 1 2 3 4 [5] (Next)"],
    ["/?interaction=no", "(Previous) [1] 2 Next"],
    ["/?interaction=yes", ""],
  ] as const)
    expect(paginationOf(await open(address)), address).toBe(pages);
  const disabled = (await open("/")).one("[aria-disabled]");
  expect(disabled.getAttribute("aria-label")).toBe("Previous page");
  expect(disabled.hasAttribute("href")).toBe(false);
});

test("a card shows the facts, tallies and badge of its show, and what the listing says", async () => {
  const page = await open("/");
  const { card, link, ...moth } = cardOf(page, "Moth Hour");
  expect(link?.getAttribute("href")).toBe("https://moth-hour.example/edinburgh?lang=en&from=list");
  expect([link?.getAttribute("target"), link?.getAttribute("rel")]).toEqual(["_blank", "noopener"]);
  expect(textOf(page.one(`#${link?.getAttribute("aria-describedby")}`))).toMatch(/new tab/);
  expect(textOf(card)).toContain("Audience Interaction");
  expect(moth.lines).toEqual([
    ...["by Wren Halloway", "The Upturned Teacup", "Comedy", "An hour among moths."],
    ...["(1 review)", "Most common: Yes", "Only 1 person has said so far."],
    "Listing: audience participation announced.",
  ]);
  // The outline says that there are few, but not beside a tie.
  const unseen = page.texts(".card-few.sr-only");
  expect(unseen).toContain("Only 1 person has said so far.");
  const ofTie = "Only 3 people have said so far.";
  expect(page.texts(".card-few")).toContain(ofTie);
  expect(unseen).not.toContain(ofTie);
  expect(moth.tallies).toEqual(["0 No", "0 Very little", "1 Yes"]);
  const pyramid = cardOf(page, "The Human Pyramid of Leith");
  expect(pyramid.lines).toContain("(2741 reviews)");
  expect(pyramid.tallies).toEqual(["1204 No", "812 Very little", "725 Yes"]);
  for (const [index, count] of [1204, 812, 725].entries())
    expect(pyramid.bars[index]).toBeCloseTo((100 * count) / 2741, 1);
  expect(page.texts("article").join()).not.toContain("%");
  const split = cardOf(page, "Three-Way Split");
  expect(split.lines).toEqual([
    ...["(3 reviews)", "Most common: Yes tied with No and Very little", "Only 3 people have said so far."],
    "Listing: no warnings given.",
  ]);
  expect(split.heard[2]).toBe("1 of 3 said Yes");
  // Each text has the direction of its script.
  const isolated = (await open("/?search=moth+hour")).texts("main :is(bdi, [dir=auto])");
  const facts = ["Moth Hour", "Wren Halloway", "The Upturned Teacup", "Comedy", "An hour among moths."];
  expect(isolated).toEqual(["moth hour", ...facts]);
});

test("a card leaves out unknown facts, and marks cancelled shows and those without reviews", async () => {
  const tea = cardOf(await open("/?search=only+a+title"), "Only a Title");
  expect(tea.link).toBeNull();
  expect(tea.lines).toEqual([
    "(0 reviews)",
    "No reviews yet - be the first to share your experience!",
    "Listing: no warnings given.",
  ]);
  const page = await open("/?page=7");
  expect(page.texts("article").filter((text) => text.includes("Cancelled"))).toHaveLength(1);
  expect(textOf(cardOf(page, "The Soup Is Off").card)).toContain("Cancelled");
  const twice = await open("/?search=twice");
  expect(titlesOf(twice)).toEqual(["Twice", "Twice"]);
  const artists = twice.texts("article p").filter((line) => line.startsWith("by"));
  expect(artists).toEqual(["by First Company", "by Second Company"]);
});

test("a card shows texts verbatim, never as markup", async () => {
  const titles = { clowns: EMOJI_TITLE, leith: "I <3 Leith", fine: CURLY_TITLE, ebloui: "Café Ébloui" };
  for (const [search, title] of Object.entries(titles))
    expect(titlesOf(await open(`/?search=${search}`))).toContain(title);
  const page = await open("/?search=bold");
  const { lines } = cardOf(page, MARKUP_TITLE);
  expect(lines.slice(0, 3)).toEqual(["by <script>alert(2)</script>", "R&D", "<i>not slanted</i>"]);
  expect(page.texts("main :is(b, i, img, script)")).toEqual([]);
});

test("the sign-in page says what signing in is for and what it needs, and links to terms and privacy", async () => {
  const page = await open("/auth");
  expect(paragraphsOf(page)).toEqual([
    "Sign in to review Edinburgh Fringe shows and track audience interaction",
    "Signing in needs JavaScript. Browsing does not.",
    "By signing in, you agree to our terms of service and privacy policy",
  ]);
  expect(page.texts("main button")).toEqual(["Continue with Google", "Continue with GitHub"]);
  for (const heading of ["Terms of service", "Privacy policy"])
    expect((await page.follow(heading.toLowerCase())).texts("h1")).toEqual([heading]);
});

test("without providers the settings list none, and authorize returns 400", async () => {
  const { request } = await createBuiltApp(database, {});
  const headers = { apikey: "front-row-public" };
  const settings = await (await request("/auth/v1/settings", { headers })).json();
  expect(settings.external).toMatchObject({ google: false, github: false });
  const challenge = `code_challenge=${"a".repeat(43)}&code_challenge_method=s256`;
  const response = await request(`/auth/v1/authorize?provider=google&${challenge}`, {});
  expect([response.status, (await response.json()).error_code]).toEqual([400, "validation_failed"]);
});
