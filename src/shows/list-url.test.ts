import { expect, test } from "vitest";
import { isSearching, listUrl, searchNavigation, toggleAnnounced, toggleNobody } from "./list-url.ts";

test("the first keystroke of a search adds a history entry, the next ones replace it (docs/product.md §2.12)", () => {
  const { replace, state } = searchNavigation({ url: "/?page=3", state: null }, "/?search=c");
  expect([replace, isSearching(state)]).toEqual([false, true]);
  for (const [url, from, to, replaced] of [
    ["/?search=c", state, "/?search=ca", true],
    ["/?search=c", state, "/", true],
    ["/?search=c&page=2", { turned: true }, "/?search=ca", false],
  ] as const)
    expect(searchNavigation({ url, state: from }, to).replace).toBe(replaced);
  expect(searchNavigation({ url: "/", state: null }, "/")).toEqual({ replace: true, state: null });
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
