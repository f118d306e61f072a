import { expect, test } from "vitest";
import {
  isSearching,
  listUrl,
  searchNavigation,
  toggleAnnounced,
  toggleInteraction,
  toggleNobody,
} from "./list-url.ts";

const wholeList = { search: "", interaction: [], page: 1 };

test("the whole list has the URL /, parts of it have their own", () => {
  expect(listUrl(wholeList)).toBe("/");
  expect(listUrl({ search: "a b", interaction: ["yes"], page: 3 })).toBe(
    "/?search=a+b&interaction=yes&page=3",
  );
});

test("a filter is toggled on and off, each time starting at the first page", () => {
  const filtered = toggleInteraction({ ...wholeList, page: 7 }, "no");
  expect(filtered).toEqual({ search: "", interaction: ["no"], page: 1 });
  expect(toggleInteraction({ ...filtered, page: 2 }, "no")).toEqual(wholeList);
});

test("the first keystroke of a search adds a history entry (docs/product.md §2.12)", () => {
  const navigation = searchNavigation({ url: "/?page=3", state: null }, "/?search=c");
  expect(navigation.replace).toBe(false);
  expect(isSearching(navigation.state)).toBe(true);
});

test("the next keystrokes replace that entry, until the box is empty", () => {
  const { state } = searchNavigation({ url: "/", state: null }, "/?search=c");
  expect(searchNavigation({ url: "/?search=c", state }, "/?search=ca").replace).toBe(true);
  expect(searchNavigation({ url: "/?search=c", state }, "/").replace).toBe(true);
});

test("a search for the list on screen adds no history entry and starts no search", () => {
  expect(searchNavigation({ url: "/", state: null }, "/")).toEqual({ replace: true, state: null });
});

test("a search after a page change or a filter adds a history entry", () => {
  expect(searchNavigation({ url: "/?search=c&page=2", state: { turned: true } }, "/?search=ca").replace).toBe(
    false,
  );
});

test.each([
  [toggleAnnounced, "&announced=yes"],
  [toggleNobody, "&yes=none"],
])("%o keeps the rest and starts on page 1; a second press gives it up", (toggle, parameter) => {
  const query = { search: "cats", interaction: ["no" as const], page: 3 };
  const on = toggle(query);
  expect(listUrl(on)).toBe(`/?search=cats&interaction=no${parameter}`);
  expect(listUrl(toggle(on))).toBe("/?search=cats&interaction=no");
  expect(listUrl(toggle({ ...query, announced: "no" }))).toMatch(parameter);
});
