import fc from "fast-check";
import type { FestivalEvent } from "../../../dev/fake-festival-api/event.ts";
import { idOf } from "../../../dev/fake-festival-api/listing.ts";
import { fieldText } from "./malformed-texts.ts";

/**
 * What a record says of its show: it is to be listed, it is not to be, or nothing that can be understood; without a name nobody knows
 * of which show.
 */
export type Effect = "listed" | "unlisted" | "skipped" | "nameless";

/** A record as JSON, and what it has to be taken for. */
export interface MutatedRecord {
  json: string;
  effect: Effect;
}

/** Makes of a good record another one. */
export type RecordMutation = (event: FestivalEvent) => MutatedRecord;

/** A record as its fields' names and JSON texts. */
type Fields = Map<string, string>;

export function unchangedRecord(event: FestivalEvent): MutatedRecord {
  return { json: write(fieldsOf(event)), effect: "listed" };
}

const fieldsOf = (event: FestivalEvent): Fields =>
  new Map(Object.entries(event).map(([name, value]) => [name, JSON.stringify(value)]));

const write = (fields: Fields) =>
  `{${Array.from(fields, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;

function changing<T>(
  effect: Effect,
  how: fc.Arbitrary<T>,
  apply: (fields: Fields, how: T, event: FestivalEvent) => void,
): fc.Arbitrary<RecordMutation> {
  return how.map((what) => {
    const change: RecordMutation = (event) => {
      const fields = fieldsOf(event);
      apply(fields, what, event);
      return { json: write(fields), effect };
    };
    return Object.assign(change, { [fc.toStringMethod]: () => `${effect} for ${fc.stringify(what)} (${apply})` });
  });
}

/** Texts that are hard to read as a description, or as anything. */
const prose = fc
  .oneof(
    fc.constantFrom(
      "<p>&nbsp;</p>",
      "<script>alert(1)</script>Seen",
      "<!-- ",
      "<![CDATA[x]]>",
      "&#0;&#xD800;&#x110000;&bogus;&amp",
      "a\0b\u001b\u2028c",
    ),
    fc.constantFrom(
      "<b>".repeat(4_000),
      "<table><tr><td>x".repeat(2_000),
      "&nbsp;".repeat(9_000),
      "<".repeat(20_000),
      "a".repeat(60_000),
      "<p>🎭".repeat(2_000),
    ),
    fc
      .array(
        fc.constantFrom("<p", ">", "</", "&", ";", "#", "ul", "li", " ", "\n", "\u00a0", "🎭", "\ud83c", "\udfad", "x"),
        { maxLength: 60 },
      )
      .map((parts) => parts.join("")),
    fc.string({ unit: "binary" }),
  )
  .map((text) => JSON.stringify(text));

const anything = fc.oneof(fieldText, prose);

const dates = fc.constantFrom(
  '"2025-13-45 99:99:99"',
  '"2025-08-06T15:45:00Z"',
  '"now"',
  "20250806",
  '""',
  '"0000-00-00 00:00:00"',
  '"275761-01-01"',
);

const objectOf = (names: string[]) =>
  fc
    .dictionary(fc.constantFrom(...names), fc.oneof(anything, dates), { maxKeys: 5 })
    .map((value) => write(new Map(Object.entries(value))));

const place = objectOf(["name", "code", "address", "post_code", "position", "__proto__", "id"]);
const performance = objectOf(["start", "end", "duration_minutes", "price", "toString"]);
const performances = fc
  .array(fc.oneof(performance, anything), { maxLength: 20 })
  .map((texts) => `[${texts.join(",")}]`);

/** Fields that a record can do without, or with anything in them. */
const spare =
  "website artist genre venue performances sub_title code genre_tags description description_teaser warnings age_category country updated".split(
    " ",
  );

const harmless = fc.oneof(
  changing("listed", fc.tuple(fc.constantFrom(...spare), anything), (fields, [name, text]) => fields.set(name, text)),
  changing("listed", fc.constantFrom(...spare), (fields, name) => fields.delete(name)),
  changing("listed", fc.tuple(fc.string(), anything), (fields, [name, text]) => fields.set(`${name}!`, text)),
  changing("listed", fc.tuple(fc.constantFrom("__proto__", "constructor", "toString"), anything), (fields, pair) =>
    fields.set(...pair),
  ),
  changing("listed", place, (fields, text) => fields.set("venue", text)),
  changing("listed", performances, (fields, text) => fields.set("performances", text)),
  changing(
    "listed",
    fc.constantFrom("<b>T</b>", "T\0\ud800", " \n&lt;T&gt; ", "T".repeat(5_000), "I <3 T", "&rsquo;T&nbsp;"),
    (fields, title) => fields.set("title", JSON.stringify(title)),
  ),
  changing("listed", fc.constantFrom("7", "2025"), (fields, text) => fields.set("title", text)),
  changing("listed", fc.constantFrom('"2025"', '" 2025 "', "null", "2025.0"), (fields, text) =>
    fields.set("year", text),
  ),
  changing("listed", anything, (fields, text) => fields.set("status", text)),
  changing(
    "listed",
    anything,
    (fields, text, event) => void fields.set("id", JSON.stringify(idOf(event).toUpperCase())).set("url", text),
  ),
  changing("listed", anything, (fields, text) => fields.set("id", text)),
);

const noTitle = fc.constantFrom(
  "null",
  '""',
  '" &nbsp; "',
  "[]",
  "{}",
  "true",
  '"\\u0000"',
  '"\\ud800"',
  '"<!---->"'.replace("<!---->", "\\u200b"),
);
const noObject = fc.constantFrom(
  "null",
  "7",
  '"text"',
  "[]",
  "true",
  "{}",
  '[{"title":"T"}]',
  '{"__proto__":{"title":"T"}}',
);

const decisive = fc.oneof(
  changing("skipped", noTitle, (fields, text) => fields.set("title", text)),
  changing("skipped", fc.constant("title"), (fields, name) => fields.delete(name)),
  changing("skipped", fc.constantFrom('"soon"', "1.5", "[]", "{}", "true", '"２０２５"', "1e999"), (fields, text) =>
    fields.set("year", text),
  ),
  changing("nameless", fc.tuple(anything, anything), (fields, [id, url]) => void fields.set("id", id).set("url", url)),
  noObject.map(
    (json): RecordMutation =>
      () => ({ json, effect: "nameless" }),
  ),
  changing("unlisted", fc.constantFrom("2024", '"2026"', "-1", "0"), (fields, text) => fields.set("year", text)),
  changing("unlisted", fc.constantFrom("deleted", " DELETED\n", "Deleted"), (fields, status) =>
    fields.set("status", JSON.stringify(status)),
  ),
);

export const recordMutation: fc.Arbitrary<RecordMutation> = fc.oneof(
  { weight: 6, arbitrary: harmless },
  { weight: 1, arbitrary: decisive },
);
