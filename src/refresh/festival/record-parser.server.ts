import { z } from "zod";
import { type StoredShow, showColumns } from "../../domain/show.ts";
import { shorten } from "../../lib/format.ts";
import { toPlainLine, toPlainText } from "./html-text.server.ts";
import { parseWebsite } from "./website.server.ts";

export interface FestivalShow extends StoredShow {
  warnings: string[] | null;
  details: Record<string, unknown>;
}

/** `cut` names fields whose text was too long. */
export type FestivalRecord =
  | { kind: "show"; id: string; show: FestivalShow; cut: string[] }
  | { kind: "unlisted"; id: string; reason: string }
  | { kind: "bad"; id: string | null; reason: string };

/** In UTF-16 code units. `READ` is for a sent text, `LINE` for a stored line (docs/product.md §7.6). */
const MAX_DESCRIPTION = 10_000;
const MAX_READ = 4_000;
const MAX_LINE = 2_000;
const MAX_TEXT = 300;
const MAX_SERVICE_TEXT = 100;
const MAX_TIME = 40;

const MAX_PERFORMANCES = 1_000;
const MAX_SERVICES = 10;
const MAX_SERVICES_OF_SHOW = 300;
const MAX_FACTS = 20;
const MAX_SERVICE_FACTS = 5;

const anyText = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);
const text = anyText.transform((value) => value?.slice(0, MAX_READ) ?? null);
const line = text.transform((value) => (value === null ? null : toLine(value)));
const proseOf = (max: number) =>
  anyText.transform((value) => (value == null ? null : toPlainText(value.slice(0, max))));
const prose = proseOf(MAX_READ);
const time = anyText.transform((value) => (value == null ? null : toLine(value, MAX_TIME, MAX_TIME)));
const number = z.number().nullish().catch(null);
const digits = z.string().trim().regex(/^\d+$/).transform(Number);
const yearNumber = z.union([z.int(), digits], { error: "it has a year that is no number" });

/** Names and values are not in the API's documentation. */
const scalarOf = (max: number) =>
  z
    .union([z.boolean(), z.number(), z.string().transform((value) => toLine(value, max + 1, max))])
    .nullable()
    .catch(null);
const factsOf = (max: number, scalar: ReturnType<typeof scalarOf>) =>
  z.preprocess(
    (value) => (isObject(value) ? Object.fromEntries(Object.entries(value).slice(0, max)) : value),
    z.record(z.string().regex(/^[\w -]{1,100}$/), scalar),
  );
const facts = factsOf(MAX_FACTS, scalarOf(MAX_TEXT));
const serviceText = scalarOf(MAX_SERVICE_TEXT);

function listOf<Item extends z.ZodType>(item: Item, max: number) {
  const first = (list: unknown) => (Array.isArray(list) ? list.slice(0, max) : list);
  return z.preprocess(first, z.array(item).catch([]));
}

/** Leaves out the services of later performances. */
function limitServices(performances: unknown): unknown {
  if (!Array.isArray(performances)) return performances;
  let left = MAX_SERVICES_OF_SHOW;
  return performances.slice(0, MAX_PERFORMANCES).map((performance: unknown) => {
    if (!isObject(performance) || !("accessibility" in performance)) return performance;
    const services = performance.accessibility;
    if (Array.isArray(services)) left -= Math.min(services.length, MAX_SERVICES);
    return left < 0 ? { ...performance, accessibility: null } : performance;
  });
}

const venueRecord = z.object({
  name: line,
  code: line,
  address: line,
  post_code: line,
  disabled_description: prose,
  position: z.object({ lat: number, lon: number }).nullish().catch(null),
});

const performanceRecord = z
  .object({
    start: time,
    end: time,
    duration_minutes: number,
    accessibility: listOf(z.union([factsOf(MAX_SERVICE_FACTS, serviceText), serviceText]), MAX_SERVICES),
  })
  .nullable()
  .catch(null);

/** Only title and year can make a record invalid. Any other unexpected value counts as missing. */
const eventRecord = z.object({
  title: line.pipe(z.string({ error: "it has no title" })),
  year: yearNumber.nullish(),
  website: text,
  artist: line,
  genre: line,
  description: proseOf(MAX_DESCRIPTION),
  venue: venueRecord.nullish().catch(null),
  sub_title: line,
  code: line,
  genre_tags: line,
  description_teaser: prose,
  warnings: line,
  age_category: line,
  disabled: facts.nullish().catch(null),
  performance_space: facts.nullish().catch(null),
  country: line,
  updated: line,
  performances: z.preprocess(limitServices, listOf(performanceRecord, MAX_PERFORMANCES)),
});

type Event = z.infer<typeof eventRecord>;
type Performance = z.infer<typeof performanceRecord>;

const limited = ["title", "artist", "venue_name", "genre"] as const;

const identity = z.object({ id: text, url: text, status: line });

/** Old records have their id in `url`. A record without a year belongs to the requested year. */
export function parseRecord(record: unknown, year: number): FestivalRecord {
  const identified = identity.safeParse(record);
  if (!identified.success) return { kind: "bad", id: null, reason: "it is not an object" };
  const id = parseId(identified.data.id) ?? parseId(identified.data.url);
  if (id === null) return { kind: "bad", id, reason: "it has neither an id nor a url with one" };
  const status = identified.data.status?.toLowerCase();
  if (status === "deleted") return { kind: "unlisted", id, reason: "it is marked deleted" };

  const event = eventRecord.safeParse(record);
  if (!event.success) return { kind: "bad", id, reason: describeIssues(event.error) };
  const recordYear = event.data.year ?? year;
  if (recordYear !== year) return { kind: "unlisted", id, reason: `it is of ${recordYear}` };
  const show = { ...toShow(event.data), id, year, status: toStatus(status) };
  const cut = limited.filter((name) => (show[name]?.length ?? 0) > MAX_TEXT);
  for (const name of limited) show[name] &&= shorten(show[name], MAX_TEXT);
  return { kind: "show", id, show, cut };
}

/** A field with a column of its name goes there, any other to `details`. */
function toShow(event: Event): Omit<FestivalShow, "id" | "year" | "status"> {
  const { columns = [], others = [] } = Object.groupBy(Object.entries(event), ([name]) =>
    showColumns.some((column) => column === name) ? "columns" : "others",
  );
  const { warnings, ...details } = Object.fromEntries(others);
  return {
    ...(Object.fromEntries(columns) as Pick<Event, keyof Event & keyof StoredShow>),
    venue_name: event.venue?.name ?? null,
    website: parseWebsite(event.website ?? ""),
    warnings: parseWarnings(event.warnings),
    details: withoutNulls({
      ...details,
      disabled: toFacts(event.disabled),
      performance_space: toFacts(event.performance_space),
      venue: toVenue(event.venue),
      performances: event.performances.flatMap(toPerformances),
    }),
  };
}

function parseWarnings(warnings: string | null): string[] | null {
  const phrases = (warnings ?? "").split(",").map((phrase) => shorten(phrase.trim(), MAX_TEXT));
  const given = phrases.filter((phrase) => phrase !== "");
  return given.length > 0 ? given : null;
}

/** An id has 40 hexadecimal digits, alone or as the last part of a URL's path. */
function parseId(value: string | null | undefined): string | null {
  const id = value?.match(/(?:^|\/)\s*([0-9a-f]{40})\s*\/?(?:[?#].*)?$/is)?.[1];
  return id?.toLowerCase() ?? null;
}

/** Unknown states count as active (docs/product.md §7.5). */
function toStatus(status: string | undefined): StoredShow["status"] {
  return status === "cancelled" || status === "canceled" ? "cancelled" : "active";
}

function toLine(text: string, maxRead = MAX_READ, max = MAX_LINE): string | null {
  const plain = toPlainLine(text.slice(0, maxRead));
  return plain === null ? null : shorten(plain, max);
}

function toVenue(venue: Event["venue"]): Record<string, unknown> | null {
  if (!venue) return null;
  const { name: _, position, ...others } = venue;
  return withoutNulls({
    ...others,
    position: position?.lat != null && position.lon != null ? position : null,
  });
}

/** Times stay in Edinburgh's local time, without a zone. */
function toPerformances(performance: Performance): Record<string, unknown>[] {
  if (!performance?.start) return [];
  const { start, end, duration_minutes, accessibility } = performance;
  const minutes = duration_minutes ?? (end ? minutesBetween(start, end) : null);
  const services = accessibility.flatMap((service) => (isObject(service) ? toFacts(service) : service) ?? []);
  return [withoutNulls({ start, minutes, accessibility: services.length > 0 ? services : null })];
}

type Facts = z.infer<typeof facts>;

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toFacts(record: Facts | null | undefined): Record<string, unknown> | null {
  const known = withoutNulls(record ?? {});
  return Object.keys(known).length > 0 ? known : null;
}

function minutesBetween(start: string, end: string): number | null {
  const minutes = (Date.parse(`${end}Z`) - Date.parse(`${start}Z`)) / 60_000;
  return minutes > 0 ? Math.round(minutes) : null;
}

function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));
}

function describeIssues(error: z.ZodError): string {
  return error.issues.map(({ message }) => message).join("; ");
}
