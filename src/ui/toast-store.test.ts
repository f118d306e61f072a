import { expect, test } from "vitest";
import { createToastStore, readingTime } from "./toast-store.ts";

const signIn = { title: "Sign in required", description: "Please sign in to review shows." };
const failed = { title: "Sign in failed", description: "Please try again.", destructive: true };

test("toasts are shown in the order they came and go when dismissed", () => {
  const store = createToastStore();
  store.show(signIn);
  store.show(failed);
  expect(store.shown()).toMatchObject([signIn, failed]);
  store.dismiss(store.shown()[0]?.id ?? 0);
  expect(store.shown()).toMatchObject([failed]);
});

test("the same toast again replaces the first as a new one", () => {
  const store = createToastStore();
  store.show(signIn);
  const first = store.shown()[0]?.id;
  store.show(signIn);
  expect(store.shown()).toHaveLength(1);
  expect(store.shown()[0]?.id).not.toBe(first);
});

test("the latest news of something replaces what was said of it before", () => {
  const store = createToastStore();
  store.show({ ...failed, about: "review" });
  store.show(signIn);
  const sent = { title: "Review submitted!", description: "Thank you.", about: "review" };
  store.show(sent);
  expect(store.shown()).toMatchObject([signIn, sent]);
});

test("that something failed is taken back alone, when it is tried again", () => {
  const store = createToastStore();
  const sent = { title: "Review submitted!", description: "Thank you.", about: "review" };
  store.show(sent);
  store.takeBackFailure("review");
  store.show({ ...failed, about: "sign-in" });
  expect(store.shown()).toMatchObject([sent, failed]);
  store.takeBackFailure("sign-in");
  expect(store.shown()).toMatchObject([sent]);
});

test("no more than three are on screen, the newest ones", () => {
  const store = createToastStore();
  for (const title of ["1", "2", "3", "4"]) store.show({ title, description: "" });
  expect(store.shown().map((toast) => toast.title)).toEqual(["2", "3", "4"]);
});

test("a listener hears of every change until it unsubscribes", () => {
  const store = createToastStore();
  let heard = 0;
  const unsubscribe = store.subscribe(() => heard++);
  store.show(signIn);
  store.dismiss(store.shown()[0]?.id ?? 0);
  unsubscribe();
  store.show(failed);
  expect(heard).toBe(2);
});

test("a toast stays for six seconds at least, and longer the more it says", () => {
  expect(readingTime({ title: "", description: "" })).toBeGreaterThanOrEqual(6_000);
  expect(readingTime(signIn)).toBeGreaterThan(readingTime({ title: "Error", description: "" }));
});
