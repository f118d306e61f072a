import { expect, test } from "vitest";
import { YEAR } from "../../domain/programme.ts";
import { loadOwnReviews } from "./own-data-client.ts";

const own = {
  ...{ show_id: "s1", user_id: "u1", audience_interaction: "yes", notes: "Loud." },
  ...{ created_at: "2025-08-04T12:00:00.000Z", title: "Moth Hour", artist: null, year: YEAR },
  ...{ listed: true, hidden: null },
};

test("own reviews are loaded page by page, and not by half if a later page fails", async () => {
  const reviews = [own, { ...own, show_id: "s2" }, { ...own, show_id: "s3" }];
  const pages: unknown[] = reviews.map((review, index) => {
    return { reviews: [review], total: 3, next_page: index < 2 ? index + 2 : null };
  });
  const paths: string[] = [];
  const send = async (_: string, path: string) => pages[paths.push(path) - 1];
  const load = () => loadOwnReviews(send, "u1", new AbortController().signal);
  expect([...(await load()).values()]).toEqual(reviews);
  expect(paths).toEqual(["", "?page=2", "?page=3"].map((query) => `/api/reviews/mine${query}`));
  paths.length = 0;
  pages[1] = "<html>";
  await expect(load()).rejects.toThrow();
});
