import { expect, test } from "vitest";
import { createToastStore, readingTime } from "./toast-store.ts";

const signIn = { title: "Sign in required", description: "Please sign in to review shows." };
const failed = { title: "Sign in failed", description: "Please try again.", destructive: true };

test("toasts are shown in order and removed when dismissed", () => {
  const store = createToastStore();
  store.show(signIn);
  store.show(failed);
  expect(store.shown()).toMatchObject([signIn, failed]);
  store.dismiss(store.shown()[0]?.id ?? 0);
  expect(store.shown()).toMatchObject([failed]);
});

test("an equal toast replaces the earlier one, with a new id", () => {
  const store = createToastStore();
  store.show(signIn);
  const first = store.shown()[0]?.id;
  store.show(signIn);
  expect(store.shown()).toHaveLength(1);
  expect(store.shown()[0]?.id).not.toBe(first);
});

test("a toast replaces the earlier one of its topic", () => {
  const store = createToastStore();
  store.show({ ...failed, topic: "review" });
  store.show(signIn);
  const sent = { title: "Review submitted!", description: "Thank you.", topic: "review" };
  store.show(sent);
  expect(store.shown()).toMatchObject([signIn, sent]);
});

test("only the failure of a topic is dismissed when it is retried", () => {
  const store = createToastStore();
  const sent = { title: "Review submitted!", description: "Thank you.", topic: "review" };
  store.show(sent);
  store.dismissFailure("review");
  store.show({ ...failed, topic: "sign-in" });
  expect(store.shown()).toMatchObject([sent, failed]);
  store.dismissFailure("sign-in");
  expect(store.shown()).toMatchObject([sent]);
});

test("at most three toasts are shown, the newest ones (docs/product.md §5.17)", () => {
  const store = createToastStore();
  for (const title of ["1", "2", "3", "4"]) store.show({ title, description: "" });
  expect(store.shown().map((toast) => toast.title)).toEqual(["2", "3", "4"]);
});

test("a listener is called for every change until it unsubscribes", () => {
  const store = createToastStore();
  let calls = 0;
  const unsubscribe = store.subscribe(() => calls++);
  store.show(signIn);
  store.dismiss(store.shown()[0]?.id ?? 0);
  unsubscribe();
  store.show(failed);
  expect(calls).toBe(2);
});

test("a toast stays for at least six seconds, and longer with more text", () => {
  expect(readingTime({ title: "", description: "" })).toBeGreaterThanOrEqual(6_000);
  expect(readingTime(signIn)).toBeGreaterThan(readingTime({ title: "Error", description: "" }));
});
