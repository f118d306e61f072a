import { expect, test } from "vitest";
import { YEAR } from "../../domain/programme.ts";
import { loadOwnReviews } from "./own-data-client.ts";

const own = {
  show_id: "s1",
  user_id: "u1",
  audience_interaction: "yes",
  notes: "Loud.",
  created_at: "2025-08-04T12:00:00.000Z",
  title: "Moth Hour",
  artist: null,
  year: YEAR,
  listed: true,
  hidden: null,
};

async function loadFrom(responses: unknown[]) {
  const paths: string[] = [];
  const send = async (_user: string, path: string) => responses[paths.push(path) - 1];
  return { loaded: await loadOwnReviews(send, "u1", new AbortController().signal), paths };
}

test.each([1, 2, 5])("own reviews on %i pages are loaded page by page", async (pages) => {
  const numbers = Array.from({ length: pages }, (_, index) => index + 1);
  const reviews = numbers.map((page) => ({ ...own, show_id: `s${page}` }));
  const responses = reviews.map((review, index) => {
    return { reviews: [review], total: pages, next_page: index + 1 < pages ? index + 2 : null };
  });
  const { loaded, paths } = await loadFrom(responses);
  expect([...loaded.values()]).toEqual(reviews);
  const queries = numbers.map((page) => (page === 1 ? "" : `?page=${page}`));
  expect(paths).toEqual(queries.map((query) => `/api/reviews/mine${query}`));
});

test("own reviews are not loaded by half: a later page that fails rejects", async () => {
  const first = { reviews: [own], total: 2, next_page: 2 };
  await expect(loadFrom([first, "<html>"])).rejects.toThrow();
});
