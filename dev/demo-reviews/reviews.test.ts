import { expect, test } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import { idOf } from "../fake-festival-api/listing.ts";
import { inventProgramme } from "../fake-festival-api/programme.ts";
import { MAX_NOTES } from "./notes.ts";
import { inventReviews } from "./reviews.ts";

const shows = inventProgramme().map((event) => ({
  id: idOf(event),
  title: event.title,
  genre: event.genre ?? null,
}));
const { users, reviews } = inventReviews({ shows });
const countsByShow = Object.values(Object.groupBy(reviews, ({ show_id }) => show_id)).map(
  (some) => some?.length ?? 0,
);

test("the same seed and shows give the same reviews, for any order of the shows", () => {
  expect(inventReviews({ shows: shows.toReversed() })).toEqual({ users, reviews });
  expect(inventReviews({ shows, seed: 2 }).reviews).not.toEqual(reviews);
});

test("about a third of the shows have reviews: many have few, some have hundreds", () => {
  expect(countsByShow.length / shows.length).toBeCloseTo(0.35, 2);
  expect(reviews.length).toBeGreaterThan(6500);
  expect(reviews.length).toBeLessThan(9500);
  expect(countsByShow.filter((count) => count <= 3).length).toBeGreaterThan(countsByShow.length / 3);
  const popular = countsByShow.filter((count) => count > 12);
  expect(popular.length).toBeGreaterThan(4);
  expect(popular.length).toBeLessThan(20);
  expect(Math.min(...popular)).toBeGreaterThanOrEqual(100);
  expect(Math.max(...popular)).toBeLessThanOrEqual(400);
});

test("no user reviews a show twice, and every author is a user with an invented e-mail address", () => {
  expect(new Set(reviews.map(({ show_id, user_id }) => `${show_id} ${user_id}`)).size).toBe(reviews.length);
  expect(new Set(reviews.map(({ user_id }) => user_id))).toEqual(new Set(users.map(({ id }) => id)));
  expect(new Set(users.map(({ email }) => email)).size).toBe(users.length);
  for (const { id, email } of users) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(email).toMatch(/^[a-z]+\.[a-z]+\d*@people\.example$/);
  }
});

test("half of the reviews have notes, which are valid by docs/product.md §5.7", () => {
  const notes = reviews.flatMap((review) => review.notes ?? []);
  expect(notes.length / reviews.length).toBeCloseTo(0.5, 1);
  for (const note of notes) {
    expect(note.trim()).toBe(note);
    expect(note).not.toBe("");
    expect(note.isWellFormed()).toBe(true);
    expect(note).not.toMatch(/[{}]|undefined|(?!\n)\p{Cc}/u);
  }
  expect(Math.max(...notes.map(({ length }) => length))).toBeLessThanOrEqual(MAX_NOTES);
});

test("reviews are written in August, after their authors signed up", () => {
  const firstVisit = new Map(users.map(({ id, created_at }) => [id, created_at]));
  for (const { user_id, created_at } of reviews) {
    expect(created_at.toISOString()).toMatch(new RegExp(`^${YEAR}-08-`));
    expect(firstVisit.get(user_id)?.getTime()).toBeLessThan(created_at.getTime());
  }
  expect(new Set(reviews.map(({ created_at }) => created_at.getUTCDate())).size).toBeGreaterThan(25);
});
