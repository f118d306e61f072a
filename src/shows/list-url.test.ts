import { expect, test } from "vitest";
import { isSearching, listUrl, searchNavigation, toggleInteraction } from "./list-url.ts";

const everything = { search: "", interaction: [], page: 1 };

test("the whole list is the home page, parts of it have their own URL", () => {
  expect(listUrl(everything)).toBe("/");
  expect(listUrl({ search: "a b", interaction: ["yes"], page: 3 })).toBe("/?search=a+b&interaction=yes&page=3");
});

test("a filter is toggled on and off, each time starting at the first page", () => {
  const chosen = toggleInteraction({ ...everything, page: 7 }, "no");
  expect(chosen).toEqual({ search: "", interaction: ["no"], page: 1 });
  expect(toggleInteraction({ ...chosen, page: 2 }, "no")).toEqual(everything);
});

test("the first keystroke of a search adds a history entry", () => {
  const step = searchNavigation({ url: "/?page=3", state: null }, "/?search=c");
  expect(step.replace).toBe(false);
  expect(isSearching(step.state)).toBe(true);
});

test("the next keystrokes replace it, until the box is empty", () => {
  const { state } = searchNavigation({ url: "/", state: null }, "/?search=c");
  expect(searchNavigation({ url: "/?search=c", state }, "/?search=ca").replace).toBe(true);
  expect(searchNavigation({ url: "/?search=c", state }, "/").replace).toBe(true);
});

test("searching for what is on screen adds no entry and starts no search", () => {
  expect(searchNavigation({ url: "/", state: null }, "/")).toEqual({ replace: true, state: null });
});

test("a search after a page change or a filter adds an entry", () => {
  expect(searchNavigation({ url: "/?search=c&page=2", state: { turned: true } }, "/?search=ca").replace).toBe(false);
});
