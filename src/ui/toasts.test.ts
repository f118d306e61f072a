import { expect, test } from "vitest";
import { readingTime, type ShownToast, type Toast, withoutFailure, withToast } from "./toasts.ts";

const signIn = { title: "Sign in required", description: "Please sign in to review shows." };
const failed = { title: "Sign in failed", description: "Please try again.", destructive: true };
const sent = { title: "Review submitted!", description: "Thank you.", topic: "review" };

/** The toasts on screen after these. Ids count from 1. */
function shownAfter(...toasts: Toast[]): readonly ShownToast[] {
  return toasts.reduce<readonly ShownToast[]>(
    (shown, toast, index) => withToast(shown, { ...toast, id: index + 1 }),
    [],
  );
}

test("toasts are shown in order", () => {
  expect(shownAfter(signIn, failed)).toMatchObject([signIn, failed]);
});

test("an equal toast replaces the earlier one, with a new id", () => {
  expect(shownAfter(signIn, signIn)).toEqual([{ ...signIn, id: 2 }]);
});

test("a toast replaces the earlier one of its topic", () => {
  expect(shownAfter({ ...failed, topic: "review" }, signIn, sent)).toMatchObject([signIn, sent]);
});

test("only the failure of a topic is dismissed when it is retried", () => {
  const shown = shownAfter(sent, { ...failed, topic: "sign-in" });
  expect(withoutFailure(shown, "review")).toEqual(shown);
  expect(withoutFailure(shown, "sign-in")).toMatchObject([sent]);
});

test("at most three toasts are shown, the newest ones (docs/product.md §5.17)", () => {
  const shown = shownAfter(...["1", "2", "3", "4"].map((title) => ({ title, description: "" })));
  expect(shown.map(({ title }) => title)).toEqual(["2", "3", "4"]);
});

test("a toast stays for at least six seconds, and longer with more text", () => {
  expect(readingTime({ title: "", description: "" })).toBeGreaterThanOrEqual(6_000);
  expect(readingTime(signIn)).toBeGreaterThan(readingTime({ title: "Error", description: "" }));
});
