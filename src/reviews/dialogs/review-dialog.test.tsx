// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { answer, failed, openReviewing, reviewed, thanks } from "../../../tests/support/reviewing.tsx";
import { accountEnded } from "../../auth/ui/account-end-texts.ts";

const lost = () => Promise.reject(new TypeError("Failed to fetch"));
const lacking = () => Promise.reject(new TypeError("Promise.race is not a function"));

test("the dialog starts with No, and explains each interaction and helpful notes", async () => {
  const { one, press, notes, chosen, counter, describes, site } = await openReviewing();
  await press("Moth Hour");
  expect(one("dialog h2").textContent).toBe("Review: Moth Hour");
  expect(one("legend").textContent).toBe("Did this show involve audience interaction?");
  const meanings = {
    "No audience interaction": "traditional performance with no audience participation",
    "Very little interaction": "minimal participation such as clapping, cheering or simple responses",
    [answer]: "active participation required, such as volunteers, conversation or physical involvement",
  };
  for (const [label, meaning] of Object.entries(meanings))
    expect(describes(one("input", label))).toBe(meaning);
  expect(document.activeElement).toBe(one("input", "No audience interaction"));
  expect([chosen(), notes(), counter().textContent]).toEqual(["no", "", "0/1000 characters"]);
  expect(describes(one("textarea"))).toBe(
    "0/1000 characters Helpful: where did you sit? Did anybody near you get picked? Please name nobody.",
  );
  await press(answer);
  expect(describes(one("textarea"))).toMatch(
    /Helpful: where did the people who were picked sit\? Could they say no\? What were they asked to do\?/,
  );
  await press("Submit Review");
  expect(site.sent).toMatchObject([{ show_id: "Moth Hour", audience_interaction: "yes", notes: null }]);
});

test("the counter warns above 900, and is announced in a pause; above 1000 nothing is sent", async () => {
  const { one, all, press, type, pass, counter, describes, site, toast, isOpen } = await openReviewing();
  await press("Moth Hour");
  const announced = () =>
    all("dialog [aria-live]").some((part) => part.textContent === counter().textContent);
  await type("🎭".repeat(450));
  await pass(1_000);
  expect([counter().textContent, counter().dataset.warning]).toEqual(["900/1000 characters", undefined]);
  expect(announced()).toBe(false);
  await type(`${"🎭".repeat(450)}!`);
  expect(counter().dataset.warning).toBe("true");
  expect(announced()).toBe(false);
  await pass(1_000);
  expect(announced()).toBe(true);
  await type("x".repeat(1200));
  expect(describes(one("textarea"))).toMatch(/^Notes cannot exceed 1000 characters 1200\/1000 characters/);
  expect(one("textarea").getAttribute("aria-invalid")).toBe("true");
  await press("Submit Review");
  expect(toast()).toEqual(["Notes too long", "Please keep your notes under 1000 characters."]);
  expect([site.sent, isOpen()]).toEqual([[], true]);
});

test("pasted line breaks of other programs become ours, other control characters go, and the counter counts the rest", async () => {
  const { one, press, type, notes, counter, site } = await openReviewing();
  await press("Moth Hour");
  for (const [pasted, kept] of [
    ["Row A\vRow B\u0085", "Row A\nRow B\n"],
    ["\u001b[1mLoud\u2028\u0007", "[1mLoud\n"],
    [`${"x".repeat(1000)}\0\f`, `${"x".repeat(1000)}\n`],
  ] as const) {
    await type(pasted);
    expect([notes(), counter().textContent]).toEqual([kept, `${kept.length}/1000 characters`]);
  }
  expect((one("textarea") as HTMLTextAreaElement).selectionEnd).toBe(1001);
  await press("Submit Review");
  expect(site.sent).toMatchObject([{ notes: "x".repeat(1000) }]);
});

test.each<[string, Partial<Awaited<ReturnType<typeof openReviewing>>["site"]>, string]>([
  ["a lost connection", { respond: lost }, failed],
  ["silence for 30 s", { respond: () => new Promise<never>(() => {}) }, failed],
  ["something that this browser lacks", { accessToken: lacking }, "An unexpected error occurred"],
  ["the end of the session", { accessToken: async () => null }, "Please sign in to submit a review."],
  [
    "the end of the account",
    { accessToken: async () => null, endToast: () => accountEnded("deleted", null) },
    "This account was deleted, and its reviews with it.",
  ],
])("after %s the draft is kept, and sending again works", async (_, fault, description) => {
  const { write, press, pass, site, toast, notes, chosen, isOpen, card } = await openReviewing();
  await write("Moth Hour", "Dear diary");
  const { respond, accessToken } = site;
  Object.assign(site, fault);
  await press("Submit Review");
  for (let second = 0; second < 30 && toast().length === 0; second++) await pass(1_000);
  expect(toast().at(-1)).toBe(description);
  expect([notes(), chosen()]).toEqual(["Dear diary", "yes"]);
  Object.assign(site, { respond, accessToken });
  await press("Submit Review");
  expect(toast()[0]).toBe(thanks);
  expect(toast()).not.toContain(failed);
  expect([isOpen(), card("Moth Hour")]).toEqual([false, reviewed("Moth Hour")]);
});

test.each(["a pause", "Escape", "Cancel"])(
  "a review in flight says so, ignores edits and a second press, and goes on after %s",
  async (way) => {
    const reviewing = await openReviewing();
    const { one, texts, write, press, type, pass, site, toast, notes, isOpen, card } = reviewing;
    const release = site.hold();
    await write("Moth Hour", "Slow and steady");
    await press("Submit Review");
    await press("Submitting...");
    expect(texts("dialog [aria-live]")).toContain("Your review is on its way.");
    await type("Hurried");
    await press("No audience interaction");
    expect(notes()).toBe("Slow and steady");
    if (way === "Escape") await reviewing.pressEscape();
    if (way === "Cancel") await press("Cancel");
    expect(isOpen()).toBe(way === "a pause");
    release();
    await pass();
    expect(document.activeElement).toBe(one("button", "Moth Hour"));
    expect([site.sent.length, isOpen(), toast()[0]]).toEqual([1, false, thanks]);
    expect(card("Moth Hour")).toBe(reviewed("Moth Hour"));
    await press("Moth Hour");
    expect(notes()).toBe("");
  },
);

test("a review that fails while the dialog closes keeps its toast and its draft", async () => {
  const { write, press, pass, site, toast, notes, isOpen } = await openReviewing();
  const release = site.hold();
  await write("Moth Hour", "Do not lose me");
  await press("Submit Review");
  // A slow phone goes back in the history later.
  const back = vi.spyOn(window.history, "back").mockReturnValue();
  await press("Cancel");
  release(new TypeError("Failed to fetch"));
  await pass();
  expect([isOpen(), toast().at(-1)]).toEqual([true, failed]);
  back.mockRestore();
  window.history.back();
  await pass();
  expect([isOpen(), toast().at(-1)]).toEqual([false, failed]);
  await press("Moth Hour");
  expect(notes()).toBe("Do not lose me");
});

test("Escape keeps the draft for this show and user, and Cancel discards it, unless the session ended", async () => {
  const { write, press, pressEscape, notes, chosen, isOpen, toast, signInAs } = await openReviewing();
  await write("Moth Hour", "Half a thought");
  await pressEscape();
  await press("Tea");
  expect(notes()).toBe("");
  await press("Cancel");
  await press("Moth Hour");
  expect([notes(), chosen()]).toEqual(["Half a thought", "yes"]);
  await signInAs(null);
  await press("Cancel");
  await press("Moth Hour");
  expect(toast()).toContain("Please sign in to review shows.");
  await signInAs("u1");
  await press("Moth Hour");
  expect(notes()).toBe("Half a thought");
  // In another tab.
  await signInAs("u2");
  expect(isOpen()).toBe(false);
  await press("Moth Hour");
  expect(notes()).toBe("");
  await pressEscape();
  await signInAs("u1");
  await press("Moth Hour");
  await press("Cancel");
  await press("Moth Hour");
  expect([notes(), chosen()]).toEqual(["", "no"]);
});
