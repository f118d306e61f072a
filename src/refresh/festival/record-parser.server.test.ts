import fc from "fast-check";
import { expect, test } from "vitest";
import { idOf } from "../../../dev/fake-festival-api/listing.ts";
import { loadProgramme } from "../../../dev/invented-data.ts";
import { recordMutation } from "../../../tests/support/fuzz/festival-records.ts";
import { YEAR } from "../../domain/programme.ts";
import { parseRecord } from "./record-parser.server.ts";

const id = "2c95ba44394448599f9fd5986589038bff7cfe36";
const otherId = "209591f581b9a098ff9e356278b41f2a23a43320";

const full = {
  id,
  title: " Hats &amp; Herrings ",
  artist: "The Kelpie\u00a0Players",
  genre: "Musical and Opera",
  description: "<p>Two hats.</p><p>One herring.</p>",
  website: "Tickets: www.edfringe.com/tickets/whats-on/hats",
  url: `https://api.edinburghfestivalcity.com/events/${otherId}`,
  year: 2025,
  status: "active",
  warnings: "Strong language/swearing, Audience participation",
  venue: {
    name: "The Cowgate &ndash; Big Room",
    address: "37 Guthrie Street",
    post_code: "EH1 1JG",
    fax: null,
  },
  performances: [
    { start: "2025-08-07 23:30:00", end: "2025-08-08 00:30:00" },
    { start: "2025-08-06 15:45:00", end: "2025-08-06 16:45:00", duration_minutes: 55, accessibility: [] },
    { start: "2025-08-08 12:00:00", end: "2025-08-08 11:00:00" },
    { start: null },
  ],
  images: {},
};

function parseShow(record: unknown) {
  const parsed = parseRecord(record, 2025);
  if (parsed.kind !== "show") throw new Error(`parsed as ${parsed.kind}: ${parsed.reason}`);
  return parsed.show;
}

test("a record is parsed into a show", () => {
  expect(parseShow(full)).toEqual({
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
    venue_address: "37 Guthrie Street, EH1 1JG",
    performances: "2025-08-06 15:45:00/55;2025-08-07 23:30:00/60;2025-08-08 12:00:00/",
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

test("every text and list of a record has a limit", () => {
  for (const text of ["x".repeat(100_000), "&amp;amp;".repeat(20_000), `<p>${"é ".repeat(90_000)}`]) {
    const lines = Object.fromEntries(Object.keys(full).map((name) => [name, text]));
    const venue = { name: text, address: text, post_code: text };
    const performances = Array(5_000).fill({ start: text, duration_minutes: 50 });
    const show = parseShow({ ...lines, id, title: "Huge", year: 2025, venue, performances });
    expect([show.website, show.genre?.length]).toEqual([null, 300]);
    expect(show.warnings?.join().length).toBeLessThanOrEqual(300);
    expect(show.description?.length).toBeLessThanOrEqual(10_000);
    expect(show.venue_address?.length).toBeLessThanOrEqual(2 * 2_000 + 2);
    const sent = show.performances?.split(";") ?? [];
    expect(sent).toHaveLength(1_000);
    expect(sent[0]?.length).toBeLessThanOrEqual(40 + "/50".length);
  }
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
      const { warnings, description, id: _id, year: _year, ...lines } = parsed.show;
      for (const text of [...Object.values(lines), ...(warnings ?? []), description])
        expect(text ?? "-").toMatch(/^\S(.*\S)?$/su);
      for (const line of Object.values(lines)) expect(line ?? "-").toMatch(/^[^\p{Cs}\p{Cc}]+$/u);
      expect(description ?? "-").toMatch(/^[^[\p{Cs}[\p{Cc}--\n]]]+$/v);
    }),
    { numRuns: 2_000 },
  );
});

const kindOf = { listed: "show", unlisted: "unlisted", skipped: "bad", nameless: "bad" };
