import { expect, test } from "vitest";
import { isSearching, searchNavigation } from "./list-url.ts";

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
