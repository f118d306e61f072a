import { expect, test } from "vitest";
import { type ShowPage, showPage } from "./show.ts";

const page: ShowPage = {
  year: 2025,
  page: 2,
  page_size: 20,
  total: 21,
  shows: [
    {
      id: "a1",
      title: "The Chair",
      website: "https://example.org/chair",
      artist: null,
      venue_name: "The Cellar",
      genre: "Comedy",
      description: "One chair.",
      year: 2025,
      status: "cancelled",
      announced: "yes",
      reviews: {
        no: 3,
        very_little: 0,
        yes: 1,
        latest_at: "2025-08-04T12:00:00.000Z",
        revision: 5,
        total: 4,
        few: true,
      },
    },
  ],
};

const received = (): unknown => JSON.parse(JSON.stringify(page));
const withShow = (fields: object): unknown => ({ ...page, shows: [{ ...page.shows[0], ...fields }] });

test("a page of the list is parsed from its own JSON", () => {
  expect(showPage.parse(received())).toEqual(page);
});

test("a show without tallies is parsed without tallies", () => {
  const { reviews: _, ...withoutTallies } = page.shows[0] ?? {};
  const [show] = showPage.parse({ ...page, shows: [withoutTallies] }).shows;
  expect(show).toMatchObject({ id: "a1" });
  expect(show).not.toHaveProperty("reviews");
});

test.each([
  ["a captive portal's page", "<html>Please log in</html>"],
  ["null", null],
  ["an array", []],
  ["an error of the API", { code: "unavailable", message: "Try again." }],
  ["a page without shows", { ...page, shows: undefined }],
  ["a total that is no number", { ...page, total: "21" }],
  ["a negative count", withShow({ reviews: { no: -1, very_little: 0, yes: 0, latest_at: null } })],
  ["a show without a title", withShow({ title: null })],
  ["a website with a javascript: URL", withShow({ website: "javascript:alert(1)" })],
])("%s is rejected", (_, body) => {
  expect(showPage.safeParse(body).success).toBe(false);
});
