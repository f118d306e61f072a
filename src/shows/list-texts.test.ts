import { expect, test, vi } from "vitest";
import { bareShow, noTallies } from "../../tests/support/snapshot.ts";
import { YEAR } from "../domain/programme.ts";
import type { ShowPage } from "../domain/show.ts";
import { documentTitle, listNotice, missingNotes, noMatchLine, showTitle } from "./list-texts.ts";

function pageOf(count: number, rest: Partial<ShowPage> = {}): ShowPage {
  const shows = Array.from({ length: count }, () => bareShow("a"));
  return { year: YEAR, page: 1, page_size: 20, total: count, shows, ...rest };
}

test("the document title names search, filters and page (docs/product.md §2.18)", () => {
  const expected = "Front Row? Edinburgh Fringe Festival Show Reviews";
  expect(documentTitle({ search: "", interaction: [], page: 1 }, 1)).toBe(expected);
  expect(documentTitle({ search: "cafe", interaction: ["no", "yes"], page: 9 }, 2)).toBe(
    "“cafe”, No Interaction, Lots of Interaction, Page 2 – Front Row?",
  );
  expect(documentTitle({ search: "", interaction: ["yes"], declared: "yes", page: 1 }, 1)).toBe(
    "Lots of Interaction, Announced in the listing – Front Row?",
  );
  expect(documentTitle({ search: "", interaction: [], declared: "no", yes: "none", page: 1 }, 3)).toBe(
    "Not announced in the listing, Nobody said Yes, Page 3 – Front Row?",
  );
  expect(showTitle(pageOf(1), "no", 2)).toBe("Show a, Notes for No, Page 2 – Front Row?");
  for (const title of ["\u202eShow \u200fa", "Show\u2067 a", "\u061cShow a\u2069\u202d"]) {
    const list = pageOf(1, { shows: [{ ...bareShow("a"), title }] });
    expect(showTitle(list)).toBe("Show a – Front Row?");
    expect(documentTitle({ search: title, interaction: [], page: 1 }, 1)).toBe("“Show a” – Front Row?");
  }
  expect(showTitle(pageOf(0), "no")).toBe("No shows found – Front Row?");
});

test.each([
  [{ search: "biscuit", yes: "none" as const }, "No show matches “biscuit” and Nobody said Yes."],
  [{ search: "https://a.example/b" }, "No show has the ticket page “https://a.example/b”."],
  [{ search: "https://a.example/b", genre: "Comedy" }, "No show matches “https://a.example/b” and Comedy."],
])("an empty list names its search and filters (docs/product.md §2.16, §2.24): %o", (query, line) => {
  expect(noMatchLine({ interaction: [], page: 1, ...query })).toBe(line);
});

test("a list that is missing, of an earlier time, or without reviews has a notice (docs/product.md §8.11)", () => {
  const complete = pageOf(1, { shows: pageOf(1).shows.map((show) => ({ ...show, reviews: noTallies })) });
  expect(listNotice({ list: complete })).toBeUndefined();
  expect(listNotice({ list: pageOf(0) })).toBeUndefined();
  expect(listNotice({ list: pageOf(1) })).toBe("Reviews can't be loaded right now.");
  const empty = { list: pageOf(0), show: "x" };
  expect(listNotice({ ...empty, failure: "unreachable" })).toBe("This show needs a connection.");
  vi.useFakeTimers({ now: new Date(2025, 7, 13, 15, 30) });
  const seenAt = new Date(2025, 7, 13, 14, 2).getTime();
  expect(listNotice({ list: complete, failure: "unreachable", seenAt })).toBe(
    "No connection. This list is from Wed 14:02.",
  );
  for (const [failure, reason, notes] of [
    ["unreachable", "Check your connection.", "Notes need a connection."],
    ["refused", "The site can't answer right now.", "Notes can't be loaded right now."],
    ["limited", "Too many requests came from your network.", "Notes can't be loaded right now."],
  ] as const) {
    expect(listNotice({ list: pageOf(0), failure })).toBe(`The list couldn't be loaded. ${reason}`);
    expect(missingNotes(failure)).toBe(notes);
    if (failure === "unreachable") continue;
    expect(listNotice({ ...empty, failure })).toBe(`The list couldn't be loaded. ${reason}`);
    const expected = `${reason} This list is from Wed 14:02.`;
    expect(listNotice({ list: complete, failure, seenAt })).toBe(expected);
  }
  const age = (hour: number) => {
    vi.setSystemTime(new Date(2025, 7, 13, hour, 2));
    return listNotice({ list: complete, failure: "unreachable", seenAt })?.split("14:02.")[1];
  };
  expect([14 + 23, 14 + 24, 14 + 49].map(age)).toEqual(["", " It is 1 day old.", " It is 2 days old."]);
  vi.useRealTimers();
});
