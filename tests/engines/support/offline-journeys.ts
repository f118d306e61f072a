import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { YEAR } from "../../../src/domain/programme.ts";
import { showIdOf } from "../../e2e/support/programme.ts";
import { readKept } from "../../support/kept-offline.ts";
import { createOtherBuild } from "../../support/other-build.ts";
import type { Browser } from "./browser.ts";
import { NOTED, type SiteBehindFront } from "./front.ts";
import { allShows, fillReview, filterAndPage, signIn, type Visit } from "./journey-steps.ts";
import type { Visitor } from "./visitor.ts";

const expected = /could not be loaded/;
const nothing = { paths: [], workers: 0 };
const kept = `(${readKept})()`;

const seeSaved = (visitor: Visitor) =>
  visitor.expectValue(
    String.raw`/^Saved for offline: \w{3} \d\d:\d\d$/.test(document.querySelector(".saved-line span")?.textContent)`,
    true,
  );

const seeNotice = (visitor: Visitor, isThere = true) =>
  visitor.expectValue(
    String.raw`/^No connection\. This list is from \w{3} \d\d:\d\d\.Try again$/.test(document.querySelector("main [role=alert]")?.textContent)`,
    isThere,
  );

/** @param launch starts a browser with the profile in the folder; null if the engine's cannot keep any */
export function testOffline(
  visit: Visit,
  given: () => SiteBehindFront,
  launch: ((folder: string) => Promise<Browser>) | null,
): void {
  async function openSaved() {
    const opened = await visit("/", { expected });
    onTestFinished(() => given().front.goOnline());
    await seeSaved(opened.visitor);
    return opened;
  }

  async function openWithoutConnection() {
    const opened = await openSaved();
    await given().front.goOffline();
    await opened.visitor.reload();
    await seeNotice(opened.visitor);
    return opened;
  }

  async function connect(visitor: Visitor): Promise<void> {
    await given().front.goOnline();
    await visitor.run(`document.querySelector("main [role=alert] button")?.click()`);
    await seeNotice(visitor, false);
  }

  test("without a connection the saved list is searched, filtered and paged, also in new tabs", async () => {
    const { visitor, openTab } = await openWithoutConnection();
    await filterAndPage(visitor);
    for (const [address, summary] of [
      ["/", allShows],
      ["/?search=human+pyramid", `Showing 1-1 of 1 show for ${YEAR} matching "human pyramid"`],
    ] as const) {
      const tab = await openTab();
      await tab.open(address);
      await seeNotice(tab);
      await tab.see("status", summary);
    }
    const tab = await openTab();
    await tab.open(`/?show=${showIdOf(NOTED)}`);
    await seeNotice(tab);
    await tab.see("heading", NOTED);
    await tab.see("paragraph", "Notes need a connection.");
    await connect(visitor);
  });

  test("an update of the site leaves the saved page at work, and the next one is of the new build", async () => {
    const { visitor } = await openWithoutConnection();
    const build = await createOtherBuild("next");
    onTestFinished(build.remove);
    await given().replaceServer({}, build.program);
    await connect(visitor);
    // The page is saved again when it is old.
    await visitor.run(`const { now } = Date; Date.now = () => now() + 11 * 60_000;
      document.dispatchEvent(new Event("visibilitychange"))`);
    const [, name] = /files-([\w-]+)\.json/.exec(build.files.join()) ?? [];
    await visitor.expectValue("caches.keys()", [`front-row-saved-${name}`]);
    await visitor.expectValue("window.otherBuild", null);
    await signIn(visitor, "Google");
    await given().front.goOffline();
    await visitor.reload();
    await seeNotice(visitor);
    await visitor.expectValue("window.otherBuild", "next");
    await connect(visitor);
  });

  test("OFFLINE=0 lets the worker remove what was saved, and itself, and pages say nothing of it", async () => {
    const { visitor } = await openSaved();
    await given().replaceServer({ OFFLINE: "0" });
    // A document without scripts.
    await visitor.tab.goto(`${given().front.origin}/terms`);
    await visitor.expectValue(kept, nothing);
    await visitor.open("/");
    await visitor.expectValue(`document.querySelectorAll("footer button").length`, 0);
  });

  test("a review that waits outlives the browser, is sent by one tab, and its author thanked after the answer", async () => {
    const { front } = given();
    const notSent = (visitor: Visitor, text: string | null) =>
      visitor.expectValue(
        `[...document.querySelectorAll("button")].find((b) => / not sent$/.test(b.textContent))?.textContent`,
        text,
      );
    const thanks = `document.body.textContent.includes("Review submitted!")`;
    const folder = await mkdtemp(path.join(tmpdir(), "front-row-profile-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const open = async () => visit("/", { expected, ...(launch && { browser: await launch(folder) }) });
    onTestFinished(() => front.goOnline());

    const first = await open();
    await signIn(first.visitor, "Google");
    await seeSaved(first.visitor);
    await fillReview(first.visitor, "Moth Hour", "Very little interaction", "Typed in a cellar.");
    await front.goOffline();
    await first.visitor.press("button", "Submit Review");
    await first.visitor.press("button", "Send when I'm back online");
    await first.visitor.see("paragraph", "Not sent yet");
    await notSent(first.visitor, "1 not sent");
    if (launch) await first.close();
    else await first.visitor.tab.goto("about:blank");

    const { visitor, openTab } = launch ? await open() : { ...first, visitor: await first.openTab() };
    const tabs = [visitor, await openTab()] as const;
    for (const tab of launch ? tabs.slice(1) : tabs) await tab.open("/");
    for (const tab of tabs) {
      await seeNotice(tab);
      await notSent(tab, "1 not sent");
    }
    const released = Promise.withResolvers<void>();
    let sent = 0;
    front.meet = ({ method }) => {
      if (method !== "PUT") return undefined;
      sent += 1;
      return released.promise;
    };
    await front.goOnline();
    const tellOnline = (tab: Visitor) => tab.run(`dispatchEvent(new Event("online"))`);
    await tellOnline(visitor);
    await expect.poll(() => sent).toBe(1);
    for (const tab of tabs) await tellOnline(tab);
    for (const tab of tabs) {
      await notSent(tab, "1 not sent");
      await tab.expectValue(thanks, false);
    }
    released.resolve();
    const thanked = async () =>
      [await tabs[0].tab.evaluate(thanks), await tabs[1].tab.evaluate(thanks)].sort();
    await expect.poll(thanked).toEqual(["false", "true"]);
    for (const tab of tabs) await notSent(tab, null);
    await visitor.reload();
    await visitor.see("paragraph", "(2 reviews)", "Moth Hour");
    expect(sent).toBe(1);
  });
}
