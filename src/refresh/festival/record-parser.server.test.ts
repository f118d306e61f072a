import fc from "fast-check";
import { expect, test } from "vitest";
import { idOf } from "../../../dev/fake-festival-api/listing.ts";
import { loadProgramme } from "../../../dev/invented-data.ts";
import { recordMutation } from "../../../tests/support/fuzz/festival-records.ts";
import { YEAR } from "../../domain/programme.ts";
import { showColumns } from "../../domain/show.ts";
import { parseRecord } from "./record-parser.server.ts";

const id = "2c95ba44394448599f9fd5986589038bff7cfe36";
const otherId = "209591f581b9a098ff9e356278b41f2a23a43320";

const services = ["Signed", { type: "captioned", note: null, odd: {} }, null, ["nested"]];

const full = {
  id,
  title: " Hats &amp; Herrings ",
  sub_title: "A comedy",
  artist: "The Kelpie\u00a0Players",
  genre: "Musical and Opera",
  genre_tags: "Absurdist,Clown",
  description: "<p>Two hats.</p><p>One herring.</p>",
  description_teaser: null,
  website: "Tickets: www.edfringe.com/tickets/whats-on/hats",
  url: `https://api.edinburghfestivalcity.com/events/${otherId}`,
  year: 2025,
  status: "active",
  code: "HATS",
  warnings: "Strong language/swearing, Audience participation",
  age_category: "18+",
  disabled: { audio: null, signed: true, signed_dates: "2025-08-07 &ndash; 2025-08-09", captioning: "" },
  performance_space: { name: "Big Room", capacity: 80, wheelchair_access: false, age_limit: null },
  country: "Scotland",
  updated: "2025-04-03 11:04:24",
  venue: {
    id: "50058be44bcb8dba457ab29e53b8d4d0ab1af94a",
    name: "The Cowgate &ndash; Big Room",
    code: "288",
    address: "37 Guthrie Street",
    post_code: "EH1 1JG",
    fax: null,
    disabled_description: "<p>Level access.</p>",
    position: { lat: 55.948515, lon: -3.187059 },
  },
  performances: [
    { start: "2025-08-06 15:45:00", end: "2025-08-06 16:45:00", duration_minutes: 55, accessibility: [] },
    { start: "2025-08-07 23:30:00", end: "2025-08-08 00:30:00", accessibility: services },
    { start: null },
  ],
  images: {},
};

function parseShow(record: unknown) {
  const parsed = parseRecord(record, 2025);
  if (parsed.kind !== "show") throw new Error(`parsed as ${parsed.kind}: ${parsed.reason}`);
  return parsed.show;
}

test("a record is parsed into a show, with its other fields in `details`", () => {
  const { details, ...columns } = parseShow(full);
  expect(Object.keys(columns).sort()).toEqual([...showColumns, "warnings"].sort());
  expect({ ...details, ...columns }).toEqual({
    id,
    title: "Hats & Herrings",
    website: "https://www.edfringe.com/tickets/whats-on/hats",
    artist: "The Kelpie Players",
    venue_name: "The Cowgate – Big Room",
    genre: "Musical and Opera",
    description: "Two hats.\n\nOne herring.",
    year: 2025,
    status: "active",
    warnings: ["Strong language/swearing", "Audience participation"],
    sub_title: "A comedy",
    code: "HATS",
    genre_tags: "Absurdist,Clown",
    age_category: "18+",
    disabled: { signed: true, signed_dates: "2025-08-07 – 2025-08-09" },
    performance_space: { name: "Big Room", capacity: 80, wheelchair_access: false },
    country: "Scotland",
    updated: "2025-04-03 11:04:24",
    venue: {
      code: "288",
      address: "37 Guthrie Street",
      post_code: "EH1 1JG",
      disabled_description: "Level access.",
      position: { lat: 55.948515, lon: -3.187059 },
    },
    performances: [
      { start: "2025-08-06 15:45:00", minutes: 55 },
      { start: "2025-08-07 23:30:00", minutes: 60, accessibility: ["Signed", { type: "captioned" }] },
    ],
  });
});

test.each([
  [null, null],
  ["", null],
  [" , &nbsp;,", null],
  [["Nudity"], null],
  ["Nudity", ["Nudity"]],
  ["Strobe lighting,audience PART ,,Smoke &amp; haze", ["Strobe lighting", "audience PART", "Smoke & haze"]],
])("the warnings %j are the phrases %j (docs/product.md §7.9)", (warnings, phrases) => {
  expect(parseShow({ id, title: "Warned", warnings }).warnings).toEqual(phrases);
});

test.each([
  {},
  { website: " ", artist: "", venue: { name: "&nbsp;" }, genre: null, description: "<p></p>" },
  { website: 7, artist: {}, venue: "somewhere", genre: ["Comedy"], description: false, performances: {} },
])("a field that is missing, blank or of an unexpected type is null: %j", (fields) => {
  const nothing = { website: null, artist: null, venue_name: null, genre: null, description: null };
  expect(parseShow({ id, title: "Bare", ...fields })).toMatchObject({ title: "Bare", ...nothing });
});

test.each([
  [{ id }, id],
  [{ id: id.toUpperCase() }, id],
  [{ url: `https://api.edinburghfestivalcity.com/events/${otherId}` }, otherId],
  [{ id: null, url: `https://api.edinburghfestivalcity.com/events/${otherId}/?x=1` }, otherId],
  [{ id, url: `https://api.edinburghfestivalcity.com/events/${otherId}` }, id],
])("the id is the record's own, or else the last part of its url: %j", (fields, expected) => {
  expect(parseShow({ title: "Named", ...fields }).id).toBe(expected);
});

const nameless = [{ title: "Nameless" }, { title: "Nameless", id: "7", url: "https://example.com/events/" }];
const invalid = [{ id }, { id, title: " &nbsp;" }, { id, title: {} }, { id, title: "Odd", year: "soon" }];
test.each([
  ...[null, 7, "text", [], {}, ...nameless].map((record) => [null, record] as const),
  ...invalid.map((record) => [id, record] as const),
])("without an id, a title or a valid year a record is bad, under the id %s: %j", (known, record) => {
  expect(parseRecord(record, 2025)).toMatchObject({ kind: "bad", id: known });
});

test.each([
  ["title", "x".repeat(301), `${"x".repeat(299)}…`],
  ["artist", `${"x".repeat(298)}🎭${"x".repeat(9)}`, `${"x".repeat(298)}…`],
  ["venue_name", `${"&amp;".repeat(400)}`, `${"&".repeat(299)}…`],
  ["genre", "x ".repeat(200_000), `${"x ".repeat(149)}x…`],
] as const)("a %s that is too long is cut, and said to be", (name, text, expected) => {
  const record = { id, title: "Long", [name]: text, venue: { name: name === "venue_name" ? text : null } };
  expect(parseRecord(record, 2025)).toMatchObject({ cut: [name], show: { [name]: expected } });
});

test("texts at the length limit are not cut", () => {
  const text = "x".repeat(300);
  const show = { title: text, artist: text, genre: text };
  const record = { id, ...show, venue: { name: text } };
  expect(parseRecord(record, 2025)).toMatchObject({ cut: [], show: { ...show, venue_name: text } });
});

/** A value with every list and text of a record far longer than any real one. */
function hugeRecord(text: string, count: number) {
  const lines = Object.fromEntries(Object.keys(full).map((name) => [name, text]));
  const facts = Object.fromEntries(Array.from({ length: count }, (_, n) => [`fact ${n}`, text]));
  const performance = { start: text, end: text, accessibility: Array(count).fill(text) };
  return {
    ...lines,
    ...{ id, title: "Huge", year: 2025, disabled: facts, performance_space: facts },
    venue: { name: text, code: text, address: text, post_code: text, disabled_description: text },
    performances: [...Array(count).fill({ start: "2025-08-06 15:45:00" }), performance],
  };
}

test("every text and list of a record has a limit", () => {
  const texts = ["x".repeat(100_000), "&amp;amp;".repeat(20_000), `<p>${"é ".repeat(90_000)}`];
  for (const [text, count] of [...texts.map((text) => [text, 40] as const), ["x", 5_000] as const]) {
    const { website, genre, warnings, details } = parseShow(hugeRecord(text, count));
    expect([website, genre?.length]).toEqual([null, Math.min(text.length, 300)]);
    expect(warnings?.join().length).toBeLessThanOrEqual(300);
    let longest = 0;
    const lists: number[] = [];
    JSON.stringify(details, (_, value) => {
      if (typeof value === "string") longest = Math.max(longest, value.length);
      else if (typeof value === "object" && value !== null) lists.push(Object.keys(value).length);
      return value;
    });
    expect(longest).toBeLessThanOrEqual(10_000);
    expect(Math.max(...lists)).toBe(count > 1_000 ? 1_000 : count + 1);
  }
  const { details } = parseShow(hugeRecord("x".repeat(3_000), 3_000));
  for (const facts of [details.disabled, details.performance_space])
    expect(Object.values(facts ?? {})).toEqual(Array(20).fill(`${"x".repeat(299)}…`));
  const lettered = Object.fromEntries([..."abcdefgh"].map((letter) => [letter, letter]));
  const performances = [{ start: "2025-08-06 15:45:00", accessibility: Array(99).fill(lettered) }];
  const accessible = parseShow({ id, title: "T", performances }).details;
  expect(accessible).toMatchObject({
    performances: [{ accessibility: Array(10).fill({ a: "a", b: "b", c: "c", d: "d", e: "e" }) }],
  });
});

test.each([
  ["active", "active"],
  [" Cancelled", "cancelled"],
  ["postponed", "active"],
  [null, "active"],
  [undefined, "active"],
])("status %j counts as %s", (status, expected) => {
  expect(parseShow({ id, title: "Stated", status }).status).toBe(expected);
});

test.each([
  ["deleted", { status: "deleted" }],
  ["of another year", { title: "Late", year: 2024 }],
])("a show that is %s is unlisted", (_, fields) => {
  expect(parseRecord({ id, ...fields }, 2025)).toMatchObject({ kind: "unlisted", id });
});

const events = loadProgramme({ size: 50 });

test("any record is a show with clean texts, or is left out for its own reason", () => {
  fc.assert(
    fc.property(fc.constantFrom(...events), recordMutation, (event, mutate) => {
      const { json, effect } = mutate(event);
      const parsed = parseRecord(JSON.parse(json), YEAR);
      const id = effect === "nameless" ? null : idOf(event);
      expect(parsed).toMatchObject({ kind: kindOf[effect], id });
      if (parsed.kind !== "show") return;
      expect(parsed.show.year).toBe(YEAR);
      const { details: _, warnings, description, id: _id, year: _year, ...lines } = parsed.show;
      for (const text of [...Object.values(lines), ...(warnings ?? []), description])
        expect(text ?? "-").toMatch(/^\S(.*\S)?$/su);
      for (const line of Object.values(lines)) expect(line ?? "-").toMatch(/^[^\p{Cs}\p{Cc}]+$/u);
      expect(description ?? "-").toMatch(/^[^[\p{Cs}[\p{Cc}--\n]]]+$/v);
    }),
    { numRuns: 2_000 },
  );
});

const kindOf = { listed: "show", unlisted: "unlisted", skipped: "bad", nameless: "bad" };
