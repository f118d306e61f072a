import fc from "fast-check";
import type { FestivalEvent } from "../../../dev/fake-festival-api/event.ts";
import { idOf } from "../../../dev/fake-festival-api/listing.ts";
import { YEAR } from "../../../src/domain/programme.ts";
import { fieldText } from "./malformed-texts.ts";

/** What the import does with a record. A `nameless` one has no id. */
type Effect = "listed" | "unlisted" | "skipped" | "nameless";
type MutatedRecord = { json: string; effect: Effect };
type RecordMutation = (event: FestivalEvent) => MutatedRecord;
type Fields = Map<string, string>;

const fieldsOf = (event: FestivalEvent): Fields =>
  new Map(Object.entries(event).map(([name, value]) => [name, JSON.stringify(value)]));

const toJson = (fields: Fields) =>
  `{${Array.from(fields, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;

function mutation<T>(
  effect: Effect,
  value: fc.Arbitrary<T>,
  apply: (fields: Fields, value: T, event: FestivalEvent) => unknown,
): fc.Arbitrary<RecordMutation> {
  return value.map((generated) => {
    const mutate: RecordMutation = (event) => {
      const fields = fieldsOf(event);
      apply(fields, generated, event);
      return { json: toJson(fields), effect };
    };
    return Object.assign(mutate, {
      [fc.toStringMethod]: () => `${effect} for ${fc.stringify(generated)} (${apply})`,
    });
  });
}

const difficultText = fc
  .oneof(
    fc.constantFrom(..."<p>&nbsp;</p>|<script>alert(1)</script>Seen|<!-- |<![CDATA[x]]>".split("|")),
    fc.constantFrom("<b>".repeat(4_000), "<table><tr><td>x".repeat(2_000), "&nbsp;".repeat(9_000)),
    fc.constantFrom("<".repeat(20_000), "a".repeat(60_000), "<p>🎭".repeat(2_000)),
    fc.constantFrom("a\0b\u001b\u2028c", "&#0;&#xD800;&#x110000;&bogus;&amp"),
    fc.string({
      unit: fc.constantFrom(..."<p > </ & ; # ul li \n \u00a0 🎭 \ud83c \udfad x".split(" "), " "),
      maxLength: 60,
    }),
    fc.string({ unit: "binary" }),
  )
  .map((text) => JSON.stringify(text));

const anyValue = fc.oneof(fieldText, difficultText);
const times = "2025-13-45 99:99:99|2025-08-06T15:45:00Z|now||0000-00-00 00:00:00|275761-01-01";
const dates = fc.constantFrom(...times.split("|")).map((text) => JSON.stringify(text));

const objectOf = (names: string[]) =>
  fc
    .dictionary(fc.constantFrom(...names), fc.oneof(anyValue, dates), { maxKeys: 5 })
    .map((value) => toJson(new Map(Object.entries(value))));

const place = objectOf(["name", "address", "post_code", "__proto__", "id"]);
const performance = objectOf(["start", "end", "duration_minutes", "price", "toString"]);
const performances = fc
  .array(fc.oneof(performance, anyValue), { maxLength: 20 })
  .map((texts) => `[${texts.join(",")}]`);

const optionalFields = fc.constantFrom(
  ..."website artist genre venue performances description warnings age_category".split(" "),
);

const setField = (effect: Effect, name: string, texts: fc.Arbitrary<string>) =>
  mutation(effect, texts, (fields, text) => fields.set(name, text));

const titles = ["<b>T</b>", "T\0\ud800", " \n&lt;T&gt; ", "T".repeat(5_000), "I <3 T", "&rsquo;T&nbsp;"];

const harmlessMutation = fc.oneof(
  mutation("listed", fc.tuple(optionalFields, anyValue), (fields, pair) => fields.set(...pair)),
  mutation("listed", optionalFields, (fields, name) => fields.delete(name)),
  mutation("listed", fc.tuple(fc.string(), anyValue), (fields, [name, text]) => fields.set(`${name}!`, text)),
  setField("listed", "__proto__", anyValue),
  setField("listed", "constructor", anyValue),
  setField("listed", "venue", place),
  setField("listed", "performances", performances),
  setField("listed", "title", fc.constantFrom("7", "2025", ...titles.map((title) => JSON.stringify(title)))),
  setField("listed", "year", fc.constantFrom(`"${YEAR}"`, `" ${YEAR} "`, "null", `${YEAR}.0`)),
  setField("listed", "status", anyValue),
  setField("listed", "id", anyValue),
  mutation("listed", anyValue, (fields, text, event) =>
    fields.set("id", JSON.stringify(idOf(event).toUpperCase())).set("url", text),
  ),
);

const invalidTitles = ["null", '""', '" &nbsp; "', "[]", "{}", "true", '"\\u0000"', '"\\ud800"', '"\\u200b"'];
const noRecords = 'null 7 "text" [] true {} [{"title":"T"}] {"__proto__":{"title":"T"}}'.split(" ");

const effectiveMutation = fc.oneof(
  setField("skipped", "title", fc.constantFrom(...invalidTitles)),
  mutation("skipped", fc.constant("title"), (fields, name) => fields.delete(name)),
  setField("skipped", "year", fc.constantFrom('"soon"', "1.5", "[]", "{}", "true", '"２０２５"', "1e999")),
  mutation("nameless", fc.tuple(anyValue, anyValue), (fields, [id, url]) =>
    fields.set("id", id).set("url", url),
  ),
  fc.constantFrom(...noRecords).map(
    (json): RecordMutation =>
      () => ({ json, effect: "nameless" }),
  ),
  setField("unlisted", "year", fc.constantFrom(`${YEAR - 1}`, `"${YEAR + 1}"`, "-1", "0")),
  setField("unlisted", "status", fc.constantFrom('"deleted"', '" DELETED\\n"', '"Deleted"')),
);

export const recordMutation: fc.Arbitrary<RecordMutation> = fc.oneof(
  { weight: 6, arbitrary: harmlessMutation },
  { weight: 1, arbitrary: effectiveMutation },
);
