import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { YEAR } from "../../../src/domain/programme.ts";
import { showIdOf } from "../../e2e/support/programme.ts";
import type { Browser, Launch } from "./browser.ts";
import { type Front, NOTED, type SiteBehindFront, startSiteBehindFront } from "./front.ts";
import { allShows, fillReview, filterAndPage, signIn, visitOf } from "./journey-steps.ts";
import { testOffline } from "./offline-journeys.ts";
import type { Visitor } from "./visitor.ts";

const sizes = { desktop: { width: 1100, height: 800 }, phone: { width: 390, height: 664 } };

/** A show without reviews that no other test uses. */
const nextShow = (() => {
  let last = 19;
  return () => `Matinee ${++last}`;
})();

interface Engine {
  launch: Launch;
  /** Whether a browser that starts again finds what it has stored. */
  keepsProfiles: boolean;
  hasBackForwardCache: boolean;
  /** Whether the browser never requests a failed script again as long as the page is open. */
  remembersLostScripts?: boolean;
}

export function testJourneys({
  launch,
  keepsProfiles,
  hasBackForwardCache,
  remembersLostScripts = false,
}: Engine): void {
  const running = new AsyncDisposableStack();
  let site: SiteBehindFront;
  let front: Front;
  beforeAll(async () => {
    site = await startSiteBehindFront(running);
    front = site.front;
  });
  afterAll(() => running.disposeAsync());

  describe.each(Object.entries(sizes))("%s", (name, size) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch(size);
    });
    afterAll(() => browser[Symbol.asyncDispose]());
    const visit = visitOf(
      () => browser,
      () => front,
    );
    if (name === "phone")
      testOffline(visit, () => site, keepsProfiles ? (folder) => launch(size, folder) : null);

    test("titles look like links, nothing scrolls sideways, search, filter and page stay by Back and reload", async () => {
      const { visitor } = await visit("/");
      await visitor.see("status", allShows);
      await visitor.see("link", "Moth Hour");
      const title = `getComputedStyle(document.querySelector("h3 a"))`;
      await visitor.expectValue(`${title}.textDecorationLine`, "underline");
      await visitor.expectValue(`${title}.textDecorationThickness`, "1px");
      await visitor.expectValue("document.documentElement.scrollWidth <= innerWidth", true);
      await filterAndPage(visitor);
    });

    test("links filter, all notes are read page by page, and a badge is a picture", async () => {
      const { visitor } = await visit("/");
      await visitor.press("button", "Some Interaction");
      const kept = `document.getElementById("filter-kept").textContent`;
      await visitor.expectValue(kept, "Shows where at least one person said Very little.");
      await visitor.press("button", "Some Interaction");
      await visitor.press("link", "Nobody said Yes");
      await visitor.see("status", `Showing 1-1 of 1 show for ${YEAR}`);
      await visitor.see("button", "5 notes for No", NOTED);
      await visitor.open(`/?show=${showIdOf(NOTED)}`);
      const notes = `[...document.querySelectorAll(".note-box")].map(({ textContent }) => textContent)`;
      await visitor.press("link", "All 23 notes for No");
      await visitor.expectValue(`${notes}.at(-1)`, "Note 20");
      await visitor.expectValue("document.activeElement.id", "shows");
      await visitor.press("link", "Older");
      await visitor.expectValue(notes, ["Note 21", "Note 22", "Note 23"]);
      await visitor.tab.traverse(-1);
      await visitor.expectValue(`${notes}.length`, 20);
      await visitor.press("link", "Back to the show");
      await visitor.see("link", "All 23 notes for No");
      await visitor.run(`document.querySelector(".for-website").open = true`);
      await visitor.run(`document.querySelector(".for-website img").scrollIntoView()`);
      await visitor.expectValue(`document.querySelector(".for-website img").naturalWidth > 200`, true);
    });

    test.each(["Google", "GitHub"])(
      "a visitor signs in with %s, reviews twice, signs out of all tabs",
      async (name) => {
        const { visitor, openTab } = await visit(name === "Google" ? "/" : "/auth");
        const show = nextShow();
        await signIn(visitor, name);
        await visitor.fill(show, "searchbox");
        await visitor.see("status", `Showing 1-1 of 1 show for ${YEAR} matching "${show}"`);
        await review(visitor, show, "Very little interaction", "We clapped.");
        await visitor.see("paragraph", "Most common: Very little", show);
        await visitor.hover("button", "1 note for Very little", show);
        expect((await visitor.see("region", "Notes for Very little")).text).toContain("We clapped.");
        // In a low window the card has made room for them: its button moves when the mouse leaves.
        await visitor.hover("searchbox");
        await visitor.miss("region", "Notes for Very little");
        await review(visitor, show, "Yes, significant interaction", "Then I was on stage.");
        await visitor.see("paragraph", "Most common: Yes", show);
        await visitor.see("paragraph", "(1 review)", show);
        await visitor.reload();
        await visitor.see("button", "1 note for Yes", show);
        await visitor.see("paragraph", "You reviewed this show", show);
        await visitor.press("button", "Your reviews");
        await visitor.see("heading", "Your reviews");
        await visitor.expectValue(`document.querySelector("dialog h3").textContent`, show);
        await visitor.press("button", "Close");
        await visitor.miss("dialog");
        const other = await openTab();
        await other.open("/");
        await other.see("button", "Sign Out");
        await visitor.press("button", "Sign Out");
        for (const tab of [visitor, other]) await tab.see("button", "Sign In");
        await visitor.miss("paragraph", "You reviewed this show");
      },
    );

    test.runIf(hasBackForwardCache)("a page that comes back from the back/forward cache works", async () => {
      const { visitor } = await visit("/?search=evening");
      await visitor.run("window.mark = 'kept'");
      await visitor.press("link", "Terms");
      await visitor.expectValue("location.pathname", "/terms");
      await visitor.tab.traverse(-1);
      await visitor.expectValue("window.mark", "kept");
      await visitor.press("button", "No Interaction");
      await visitor.expectValue("location.search", "?search=evening&interaction=no");
      await visitor.seeState({ pressed: true }, "button", "No Interaction");
    });

    test.runIf(remembersLostScripts)("a page reloads itself after a lost request for a script", async () => {
      const { visitor } = await visit("/auth", { expected: /auth-js-client|could not be loaded/ });
      front.meet = losing("/auth-js-client");
      await visitor.press("button", "Continue with GitHub");
      await visitor.see("alert");
      front.meet = () => {};
      await visitor.run("window.mark = 'left'");
      await visitor.press("button", "Continue with GitHub");
      await visitor.expectValue("window.mark", null);
      await visitor.expectValue("history.scrollRestoration", "manual");
      await signIn(visitor, "GitHub");
    });

    test("without a connection the page says so, shows a list that was seen before, and then works again", async () => {
      // Nothing is saved for offline.
      front.meet = losing("/worker.js");
      const { visitor } = await visit("/", { expected: /could not be loaded/ });
      onTestFinished(() => front.goOnline());
      await front.goOffline();
      await visitor.press("button", "Lots of Interaction");
      await visitor.see("paragraph", "The list couldn't be loaded. Check your connection.");
      await visitor.see("status", "No shows found");
      await visitor.press("button", "All Shows");
      await visitor.see("status", allShows);
      await front.goOnline();
      await visitor.fill("evening", "searchbox");
      await visitor.see("status", `Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
    });
  });
}

const losing = (path: string) => (request: { url?: string | undefined }) => {
  if (request.url?.includes(path)) throw new Error("Lost on its way");
};

async function review(visitor: Visitor, show: string, answer: string, notes: string): Promise<void> {
  await fillReview(visitor, show, answer, notes);
  await visitor.press("button", "Submit Review");
  await visitor.miss("dialog");
}
