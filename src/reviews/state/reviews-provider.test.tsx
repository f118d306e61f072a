// @vitest-environment happy-dom
import { expect, test } from "vitest";
import {
  created_at,
  listed,
  openReviewing,
  reviewed,
  shows,
  thanks,
} from "../../../tests/support/reviewing.tsx";
import { accountEnded } from "../../auth/ui/account-end-texts.ts";
import type { OwnReview } from "../../domain/review-dto.ts";

const earlier: OwnReview = {
  ...{ show_id: "Tea", user_id: "u1", audience_interaction: "very_little", notes: "Hot.", created_at },
  title: "Tea",
  ...listed,
};

test("an earlier review is named, and starts the new one when asked to", async () => {
  const { press, one, texts, notes, chosen, card, describes } = await openReviewing({
    ownReviews: [earlier],
  });
  expect(card("Tea")).toContain("one of them yours");
  await press("Moth Hour");
  expect(texts(".review-earlier")).toEqual([]);
  expect(describes(one("dialog fieldset"))).toBe("");
  await press("Cancel");
  await press("Tea");
  expect(describes(one("dialog fieldset"))).toContain("replaces your earlier review");
  expect([notes(), chosen()]).toEqual(["", "no"]);
  await press("Start from my earlier review");
  expect([notes(), chosen()]).toEqual(["Hot.", "very_little"]);
});

test("dialog, Your reviews and the question before deletion name artist and venue, and the day in Edinburgh", async () => {
  const twins = ["The Attic", "The Dock", "Ωmega Hall"].map((venue_name) => {
    return { ...earlier, show_id: venue_name, artist: "Zoë", venue_name, created_at: "2025-08-04T23:30:00Z" };
  });
  const { one, all, press, texts, describes } = await openReviewing({ ownReviews: twins });
  for (const [index, { venue_name }] of twins.entries()) {
    await press("Your reviews");
    expect(all("dialog time")[index]?.outerHTML).toContain('datetime="2025-08-05">5 August 2025<');
    const buttons = `dialog li:nth-child(${index + 1}) button`;
    expect(describes(one(buttons, "Delete"))).toBe(`Teaby Zoë${venue_name}`);
    await press("Change", buttons);
    expect(one("dialog h2").textContent).toBe("Review: Tea");
    expect(texts("dialog .card-facts p")).toEqual(["by Zoë", venue_name]);
    await press("Cancel");
  }
});

test("a card shows a review written or deleted elsewhere when the tab is looked at again", async () => {
  const { site, card, dispatch } = await openReviewing();
  for (const [reviews, isReviewed] of [
    [[earlier], true],
    [[], false],
  ] as const) {
    site.stored = [...reviews];
    await dispatch(document, new Event("visibilitychange"));
    expect(card("Tea")?.includes("one of them yours")).toBe(isReviewed);
  }
});

test("a review that could not be deleted stays in the list", async () => {
  const { press, toast, texts } = await openReviewing({ ownReviews: [earlier] });
  await press("Your reviews");
  await press("Delete");
  await press("Delete review");
  expect(toast()).toEqual(["Error", "The review could not be deleted. Please try again in a moment."]);
  expect(texts("dialog li").join()).toContain("Hot.");
});

test("Show more shows reviews beyond the fiftieth", async () => {
  const many = Array.from({ length: 51 }, (_, n) => ({ ...earlier, show_id: `${n}`, title: `Show ${n}` }));
  const { press, texts, all } = await openReviewing({ ownReviews: many });
  await press("Your reviews");
  expect(texts("dialog").join()).toContain("51 reviews");
  expect(texts("dialog li")).toHaveLength(50);
  await press("Show more");
  expect(texts("dialog li")).toHaveLength(51);
  expect(all("button", "Show more")).toEqual([]);
});

test("without notes and the user's own reviews, which cannot be loaded, a review is sent", async () => {
  const { write, press, toast, card } = await openReviewing({ ownReviews: null });
  expect(toast()).toEqual([]);
  await write("Tea", "Cold.");
  await press("Submit Review");
  expect([toast()[0], card("Tea")]).toEqual([thanks, reviewed("Tea")]);
});

test("Your reviews that cannot be loaded can be tried again", async () => {
  const { press, texts } = await openReviewing({ ownReviews: null });
  await press("Your reviews");
  expect(texts("dialog [role=status]")).toContain("Your reviews could not be loaded.");
  expect(texts("dialog button")).toContain("Try again");
});

test("without a session a click asks to sign in, or says that the account has ended", async () => {
  const { press, site, toast, isOpen } = await openReviewing({ user: null });
  await press("Tea");
  expect(toast()).toEqual(["Sign in required", "Please sign in to review shows."]);
  site.endToast = () => accountEnded("banned", "ada@front-row.example");
  await press("Tea");
  expect(toast()).toContain(
    "This account was banned: it may not sign in here any more. If you think that this is a mistake, write to:",
  );
  expect(isOpen()).toBe(false);
});

test("a click is painted before the dialog opens and before a review is sent, or waits for 250 ms", async () => {
  const { one, press, pass, isOpen, site } = await openReviewing();
  const { requestAnimationFrame } = window;
  for (const frames of [true, false]) {
    // A hidden tab paints no frames.
    if (!frames) window.requestAnimationFrame = () => 0;
    const unpainted = frames ? 0 : 245;
    one("button", "Moth Hour").click();
    await pass(unpainted);
    expect(isOpen()).toBe(false);
    await pass();
    one("button", "Submit Review").click();
    await pass(unpainted);
    expect(site.sent).toEqual([]);
    await pass();
    expect([isOpen(), site.sent.length]).toEqual([false, 1]);
    site.sent.length = 0;
  }
  window.requestAnimationFrame = requestAnimationFrame;
  await press("Moth Hour");
  expect(isOpen()).toBe(true);
});

test("a list change keeps the open dialog, which then leaves the focus to the list", async () => {
  const { write, press, showList, notes, site } = await openReviewing();
  const region = document.body.appendChild(document.createElement("section"));
  Object.assign(region, { id: "shows", tabIndex: -1 });
  await write("Tea", "Still about this one");
  await showList(shows.slice(0, 1));
  expect(notes()).toBe("Still about this one");
  await press("Submit Review");
  expect(site.sent).toMatchObject([{ show_id: "Tea", notes: "Still about this one" }]);
  expect(document.activeElement).toBe(region);
});

test("the script of reviewing loads at sign-in; a click waits for it, and requests it again after a failure", async () => {
  const { press, pass, signInAs, site, isOpen, toast, logged } = await openReviewing({ user: null });
  const loads: PromiseWithResolvers<void>[] = [];
  site.loadDialogs = () => {
    const load = Promise.withResolvers<void>();
    loads.push(load);
    return load.promise;
  };
  await signInAs("u1");
  expect(loads).toHaveLength(1);
  await press("Tea");
  expect([isOpen(), loads.length]).toEqual([false, 2]);
  for (const { reject } of loads) reject(new Error("lost script"));
  await pass();
  expect(toast()).toEqual(["Error", "This could not be loaded. Please try again."]);
  expect(logged().sort()).toEqual([
    "Error: lost script",
    "Reviewing could not be loaded:,Error: lost script",
  ]);
  await press("Tea");
  expect([isOpen(), toast()]).toEqual([false, []]);
  loads[2]?.resolve();
  await pass();
  expect(isOpen()).toBe(true);
});
