import { expect, test } from "vitest";
import { interactions } from "../../src/domain/review.ts";
import { idOf } from "../fake-festival-api/listing.ts";
import { inventProgramme } from "../fake-festival-api/programme.ts";
import { MAX_NOTES } from "./notes.ts";
import { inventReviews } from "./reviews.ts";

const shows = inventProgramme().map((event) => ({ id: idOf(event), title: event.title, genre: event.genre ?? null }));
const { users, reviews } = inventReviews({ shows });
const perShow = Object.values(Object.groupBy(reviews, ({ show_id }) => show_id)).map((some) => some?.length ?? 0);

test("the same seed and shows give the same reviews, in whatever order the shows come", () => {
  expect(inventReviews({ shows: shows.toReversed() })).toEqual({ users, reviews });
  expect(inventReviews({ shows, seed: 2 }).reviews).not.toEqual(reviews);
});

test("about a third of the shows have reviews, most of them a few, a handful hundreds", () => {
  expect(perShow.length / shows.length).toBeCloseTo(0.35, 2);
  expect(reviews.length).toBeGreaterThan(6500);
  expect(reviews.length).toBeLessThan(9500);
  expect(perShow.filter((count) => count <= 3).length).toBeGreaterThan(perShow.length / 3);
  const popular = perShow.filter((count) => count > 12);
  expect(popular.length).toBeGreaterThan(4);
  expect(popular.length).toBeLessThan(20);
  expect(Math.min(...popular)).toBeGreaterThanOrEqual(100);
  expect(Math.max(...popular)).toBeLessThanOrEqual(400);
});

test("nobody reviews a show twice, and every writer is a user with an address that cannot exist", () => {
  expect(new Set(reviews.map(({ show_id, user_id }) => `${show_id} ${user_id}`)).size).toBe(reviews.length);
  expect(new Set(reviews.map(({ user_id }) => user_id))).toEqual(new Set(users.map(({ id }) => id)));
  expect(new Set(users.map(({ email }) => email)).size).toBe(users.length);
  for (const { id, email } of users) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(email).toMatch(/^[a-z]+\.[a-z]+\d*@people\.example$/);
  }
});

test("the answers depend on the genre", () => {
  const genreOf = new Map(shows.map(({ id, genre }) => [id, genre]));
  const mostIn = (genre: string) => {
    const own = reviews.filter(({ show_id }) => genreOf.get(show_id) === genre);
    const count = (interaction: string) => own.filter((review) => review.audience_interaction === interaction).length;
    return interactions.toSorted((a, b) => count(b) - count(a))[0];
  };
  expect(["Theatre", "Music", "Children's Shows", "Cabaret and Variety"].map(mostIn)).toEqual([
    "no",
    "no",
    "yes",
    "yes",
  ]);
  const comedy = reviews.filter(({ show_id }) => genreOf.get(show_id) === "Comedy");
  for (const interaction of interactions) {
    const part = comedy.filter((review) => review.audience_interaction === interaction).length / comedy.length;
    expect(part).toBeGreaterThan(0.15);
    expect(part).toBeLessThan(0.6);
  }
});

test("improvised shows are nearly always said to be interactive", () => {
  const improv = Array.from({ length: 300 }, (_, index) => ({
    id: `${index}`,
    title: "An Improvised Western",
    genre: "Theatre",
  }));
  const { reviews } = inventReviews({ shows: improv });
  const yes = reviews.filter(({ audience_interaction }) => audience_interaction === "yes");
  expect(yes.length / reviews.length).toBeGreaterThan(0.6);
});

test("half the reviews have notes that the product would take: not blank, trimmed, at most 1000 characters", () => {
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

test("notes are short and long, some with line breaks, some with emoji, and most of them differ", () => {
  const notes = reviews.flatMap((review) => review.notes ?? []);
  expect(notes.filter(({ length }) => length < 40).length).toBeGreaterThan(100);
  expect(notes.filter(({ length }) => length > 950).length).toBeGreaterThan(5);
  expect(notes.filter((note) => note.includes("\n")).length).toBeGreaterThan(50);
  expect(notes.filter((note) => /\p{Extended_Pictographic}/u.test(note)).length).toBeGreaterThan(50);
  expect(new Set(notes).size / notes.length).toBeGreaterThan(0.6);
});

test("reviews are written in August 2025, by people who were there before", () => {
  const firstVisit = new Map(users.map(({ id, created_at }) => [id, created_at]));
  for (const { user_id, created_at } of reviews) {
    expect(created_at.toISOString()).toMatch(/^2025-08-/);
    expect(firstVisit.get(user_id)?.getTime()).toBeLessThan(created_at.getTime());
  }
  expect(new Set(reviews.map(({ created_at }) => created_at.getUTCDate())).size).toBeGreaterThan(25);
});

test("few shows have few reviews, no shows none", () => {
  expect(inventReviews({ shows: [] })).toEqual({ users: [], reviews: [] });
  expect(new Set(inventReviews({ shows: shows.slice(0, 3) }).reviews.map(({ show_id }) => show_id)).size).toBe(2);
});
