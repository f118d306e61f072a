import { expect, test } from "vitest";
import { addressOf, isSearching, searchStep, toggleInteraction } from "./list-url.ts";

const everything = { search: "", interaction: [], page: 1 };

test("the whole list is the home page, parts of it have their own address", () => {
  expect(addressOf(everything)).toBe("/");
  expect(addressOf({ search: "a b", interaction: ["yes"], page: 3 })).toBe("/?search=a+b&interaction=yes&page=3");
});

test("an answer is chosen and given up again, each time from the first page", () => {
  const chosen = toggleInteraction({ ...everything, page: 7 }, "no");
  expect(chosen).toEqual({ search: "", interaction: ["no"], page: 1 });
  expect(toggleInteraction({ ...chosen, page: 2 }, "no")).toEqual(everything);
});

test("the first keystroke of a search adds a history entry", () => {
  const step = searchStep({ address: "/?page=3", state: null }, "/?search=c");
  expect(step.replace).toBe(false);
  expect(isSearching(step.state)).toBe(true);
});

test("the next keystrokes replace it, down to an emptied box", () => {
  const { state } = searchStep({ address: "/", state: null }, "/?search=c");
  expect(searchStep({ address: "/?search=c", state }, "/?search=ca").replace).toBe(true);
  expect(searchStep({ address: "/?search=c", state }, "/").replace).toBe(true);
});

test("asking again for what is shown adds nothing and starts no search", () => {
  expect(searchStep({ address: "/", state: null }, "/")).toEqual({ replace: true, state: null });
});

test("a search after turning a page or choosing a filter is a new one", () => {
  expect(searchStep({ address: "/?search=c&page=2", state: { turned: true } }, "/?search=ca").replace).toBe(false);
});
