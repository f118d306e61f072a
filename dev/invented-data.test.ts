import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { YEAR } from "../src/domain/programme.ts";
import { parseRecord } from "../src/refresh/festival/record-parser.server.ts";
import { idOf } from "./fake-festival-api/listing.ts";
import { loadProgramme, loadReviews } from "./invented-data.ts";

const programme = loadProgramme();

test("the programme has as many shows as the festival of 2025, and smaller ones are slices of it", () => {
  expect(new Set(programme.map(idOf)).size).toBe(3893);
  expect(loadProgramme({ size: 0 })).toEqual([]);
  expect(loadProgramme({ from: 3890, size: 2 })).toEqual(programme.slice(3890, 3892));
  const [first] = loadProgramme({ size: 1 });
  if (first) first.title = "Changed";
  expect(loadProgramme({ size: 1 })).toEqual(programme.slice(0, 1));
});

/** What the import must cope with: `refresh` tests it on these records. */
test.each<[string, (event: (typeof programme)[number]) => unknown]>([
  ["no id of its own", (event) => !("id" in event)],
  ["a year in words", ({ year }) => typeof year === "string"],
  ["an empty artist", ({ artist }) => artist === ""],
  ["no venue", ({ venue }) => !venue],
  ["a website that is none", ({ website }) => website?.startsWith("javascript:")],
  ["no performances", ({ performances }) => performances.length === 0],
  ["entities in the title", ({ title }) => /&(amp|rsquo);/.test(title)],
  ["white space around the title", ({ title }) => title !== title.trim()],
  ["search wildcards in the title", ({ title }) => /[%_\\]/.test(title)],
  ["a title of 200 characters", ({ title }) => title.length === 200],
  ["the title of another show", ({ title, id }) => programme.some((e) => e.title === title && e.id !== id)],
])("some records have %s", (_, has) => {
  expect(programme.some(has)).toBe(true);
});

test("dates move to another festival year, and nothing else", () => {
  const moved = loadProgramme({ year: YEAR + 1 });
  const inOneYear = (value: object) => JSON.stringify(value).replaceAll(`${YEAR + 1}`, `${YEAR}`);
  // Forty records a step: all of them take half a minute.
  for (let index = 0; index < moved.length; index += 40) {
    const event = moved[index] ?? expect.fail();
    const record = parseRecord(event, YEAR + 1);
    expect(record.kind).toBe(parseRecord(programme[index], YEAR).kind);
    const { update_times: _, ...rest } = event;
    const { update_times: __, ...before } = programme[index] ?? event;
    expect(inOneYear(rest)).toBe(inOneYear(before));
    for (const { start, end } of event.performances)
      expect([start.slice(0, 4), end.slice(0, 4)]).toEqual([`${YEAR + 1}`, `${YEAR + 1}`]);
  }
  for (const { created_at } of loadReviews(YEAR + 1).reviews) expect(created_at).toMatch(`${YEAR + 1}-08-`);
});

test("reviews are of shows of the programme: one for a user and show, half of them with a valid note", () => {
  const { users, reviews } = loadReviews();
  const ids = new Set(programme.map(idOf));
  expect(reviews.filter(({ show_id }) => !ids.has(show_id))).toEqual([]);
  expect(new Set(reviews.map(({ show_id, user_id }) => `${show_id} ${user_id}`)).size).toBe(reviews.length);
  expect(new Set(reviews.map(({ user_id }) => user_id))).toEqual(new Set(users.map(({ id }) => id)));
  expect(users.filter(({ email }) => !email.endsWith("@people.example"))).toEqual([]);
  const notes = reviews.flatMap(({ notes }) => notes ?? []);
  expect(notes.length / reviews.length).toBeCloseTo(0.5, 1);
  expect(notes.filter((note) => note.trim() !== note || note === "" || note.length > 1000)).toEqual([]);
});

test("both files are small", () => {
  const sizes = ["invented-programme.jsonl.br", "invented-reviews.json.br"].map(
    (name) => statSync(new URL(name, import.meta.url)).size,
  );
  expect(sizes[0]).toBeLessThan(1_250_000);
  expect(sizes[1]).toBeLessThan(250_000);
});
