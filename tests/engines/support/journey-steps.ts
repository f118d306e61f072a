import { expect, onTestFinished } from "vitest";
import { YEAR } from "../../../src/domain/programme.ts";
import type { Browser } from "./browser.ts";
import type { Front } from "./front.ts";
import { type Visitor, visitorOf } from "./visitor.ts";

export const allShows = `Showing 1-20 of 130 shows for ${YEAR}`;

interface VisitOptions {
  /** What problems of the pages may be. */
  expected?: RegExp;
  /** Instead of the one that all tests use. */
  browser?: Browser;
}

export type Visit = ReturnType<typeof visitOf>;

export function visitOf(shared: () => Browser, front: () => Front) {
  return async (address: string, { expected = /^$/, browser }: VisitOptions = {}) => {
    const { origin, problems } = front();
    if (!browser) problems.length = 0;
    const closing = new AsyncDisposableStack();
    const close = () => closing.disposeAsync();
    onTestFinished(async () => {
      await close();
      front().meet = () => {};
      expect(problems.splice(0).filter((problem) => !expected.test(problem))).toEqual([]);
    });
    if (browser) closing.use(browser);
    const profile = closing.use(await (browser ?? shared()).openProfile());
    const openTab = async () => visitorOf(await profile.openTab(), origin);
    const visitor = await openTab();
    await visitor.open(address);
    return { visitor, openTab, close };
  };
}

/** From the whole list. */
export async function filterAndPage(visitor: Visitor): Promise<void> {
  await visitor.press("button", "No Interaction");
  await visitor.see("status", `Showing 1-20 of 28 shows for ${YEAR}`);
  await visitor.press("searchbox");
  // At once, as pasting does: on a slow machine the debounce may elapse between two keys.
  await visitor.run(`document.execCommand("insertText", false, "evening")`);
  await visitor.see("status", `Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
  await visitor.press("link", "Next page");
  const address = "?search=evening&interaction=no&page=2";
  const secondPage = `Showing 21-24 of 24 shows for ${YEAR} matching "evening"`;
  await visitor.see("status", secondPage);
  await visitor.expectValue("document.activeElement.id", "shows");
  for (const search of ["?search=evening&interaction=no", "?interaction=no", ""]) {
    await visitor.tab.traverse(-1);
    await visitor.expectValue("location.search", search);
  }
  await visitor.see("status", allShows);
  await visitor.seeState({ value: "" }, "searchbox");
  for (const search of ["?interaction=no", "?search=evening&interaction=no", address]) {
    await visitor.tab.traverse(1);
    await visitor.expectValue("location.search", search);
  }
  await visitor.see("status", secondPage);
  await visitor.reload();
  await visitor.see("status", secondPage);
  await visitor.seeState({ value: "evening" }, "searchbox");
  await visitor.seeState({ pressed: true }, "button", "No Interaction");
}

export async function signIn(visitor: Visitor, name: string): Promise<void> {
  const email = `${crypto.randomUUID()}@people.example`;
  await visitor.press("button", name === "Google" ? "Sign In" : "Continue with GitHub");
  await visitor.see("heading", `${name} (fake)`);
  await visitor.fill(email, "textbox", "E-mail");
  await visitor.press("button", "Continue");
  await visitor.see("button", "Sign Out");
}

export async function fillReview(
  visitor: Visitor,
  show: string,
  answer: string,
  notes: string,
): Promise<void> {
  await visitor.press("button", "Review This Show", show);
  await visitor.see("dialog", `Review: ${show}`);
  // Like turning a phone. In a grid, WebKit would keep the question's earlier width.
  const form = `document.querySelector("dialog form")`;
  await visitor.run(`${form}.parentElement.style.width = "20rem"`);
  await visitor.expectValue(`${form}.scrollWidth - ${form}.clientWidth`, 0);
  await visitor.run(`${form}.parentElement.style.width = ""`);
  await visitor.press("radio", answer);
  await visitor.fill(notes, "textbox", "Additional notes (optional)");
}
