import { z } from "zod";
import type { Show } from "../../domain/show.ts";
import { readDescription, readLine } from "./html-text.server.ts";

/** A show as the festival's API gives it, ready to be stored. */
export interface FestivalShow extends Show {
  /** What the API says beyond a show's own fields, without what it leaves empty. */
  details: Record<string, unknown>;
}

/**
 * What one record of the festival's API says: a show to list, a show that is not to be listed, or nothing that can be
 * understood. The id of the last is null where the record has none.
 */
export type FestivalRecord =
  | { kind: "show"; id: string; show: FestivalShow }
  | { kind: "unlisted"; id: string; reason: string }
  | { kind: "bad"; id: string | null; reason: string };

const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);
const line = text.transform((value) => (value == null ? null : readLine(value)));
const prose = text.transform((value) => (value == null ? null : readDescription(value)));
const number = z.number().nullish().catch(null);
const digits = z.string().trim().regex(/^\d+$/).transform(Number);
const yearNumber = z.union([z.int(), digits], { error: "it has a year that is no number" });

const venueRecord = z.object({
  name: line,
  code: line,
  address: line,
  post_code: line,
  position: z.object({ lat: number, lon: number }).nullish().catch(null),
});

const performanceRecord = z.object({ start: line, end: line, duration_minutes: number }).nullable().catch(null);

/** Only what nothing can do without makes a record fail; an odd value anywhere else counts as missing. */
const eventRecord = z.object({
  title: line.pipe(z.string({ error: "it has no title" })),
  year: yearNumber.nullish(),
  website: text,
  artist: line,
  genre: line,
  description: prose,
  venue: venueRecord.nullish().catch(null),
  sub_title: line,
  code: line,
  genre_tags: line,
  description_teaser: prose,
  warnings: line,
  age_category: line,
  country: line,
  updated: line,
  performances: z.array(performanceRecord).catch([]),
});

type Event = z.infer<typeof eventRecord>;
type Performance = z.infer<typeof performanceRecord>;

const identity = z.object({ id: text, url: text, status: line });

/**
 * Reads one record of the answer for `year`; no value whatever makes it throw. The id is the record's own, or in old
 * records the last part of its `url`. A record without a year is of the year that was asked for.
 */
export function readRecord(record: unknown, year: number): FestivalRecord {
  const found = identity.safeParse(record);
  if (!found.success) return { kind: "bad", id: null, reason: "it is not an object" };
  const id = readId(found.data.id) ?? readId(found.data.url);
  if (id === null) return { kind: "bad", id, reason: "it has neither an id nor a url with one" };
  const status = found.data.status?.toLowerCase();
  if (status === "deleted") return { kind: "unlisted", id, reason: "it is marked deleted" };

  const event = eventRecord.safeParse(record);
  if (!event.success) return { kind: "bad", id, reason: explain(event.error) };
  const itsYear = event.data.year ?? year;
  if (itsYear !== year) return { kind: "unlisted", id, reason: `it is of ${itsYear}` };
  return { kind: "show", id, show: { ...readShow(event.data), id, year, status: readStatus(status) } };
}

function readShow(event: Event): Omit<FestivalShow, "id" | "year" | "status"> {
  const { title, artist, genre, description, venue, website } = event;
  return {
    title,
    artist,
    genre,
    description,
    venue_name: venue?.name ?? null,
    website: readWebsite(website),
    details: readDetails(event),
  };
}

/** 40 hexadecimal digits, alone or as the last part of a URL's path. */
function readId(value: string | null | undefined): string | null {
  const id = value?.match(/(?:^|\/)\s*([0-9a-f]{40})\s*\/?(?:[?#].*)?$/i)?.[1];
  return id?.toLowerCase() ?? null;
}

/** Unknown states count as active: the show is in the programme. */
function readStatus(status: string | undefined): Show["status"] {
  return status === "cancelled" || status === "canceled" ? "cancelled" : "active";
}

/** An absolute `http(s)` URL, or null: no other may become a link. */
function readWebsite(website: string | null | undefined): string | null {
  const address = website?.trim() ?? "";
  return /^https?:\/\//i.test(address) ? (URL.parse(address)?.href ?? null) : null;
}

function readDetails(event: Event): Record<string, unknown> {
  const { sub_title, code, genre_tags, description_teaser, warnings, age_category, country, updated } = event;
  return withoutNulls({
    sub_title,
    code,
    genre_tags,
    description_teaser,
    warnings,
    age_category,
    country,
    updated,
    venue: readVenue(event.venue),
    performances: event.performances.flatMap(readPerformance),
  });
}

function readVenue(venue: Event["venue"]): Record<string, unknown> | null {
  if (!venue) return null;
  const { code, address, post_code, position } = venue;
  const placed = position?.lat != null && position.lon != null ? { lat: position.lat, lon: position.lon } : null;
  return withoutNulls({ code, address, post_code, position: placed });
}

/** `start` as the API writes it: Edinburgh's time, without a zone. Both ends are in the same one, so it does not matter to the length. */
function readPerformance(performance: Performance): Record<string, unknown>[] {
  if (!performance?.start) return [];
  const { start, end, duration_minutes } = performance;
  const minutes = duration_minutes ?? (end ? minutesBetween(start, end) : null);
  return [withoutNulls({ start, minutes })];
}

function minutesBetween(start: string, end: string): number | null {
  const minutes = (Date.parse(`${end}Z`) - Date.parse(`${start}Z`)) / 60_000;
  return minutes > 0 ? Math.round(minutes) : null;
}

function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));
}

function explain(error: z.ZodError): string {
  return error.issues.map(({ message }) => message).join("; ");
}
