import { z } from "zod";
import type { StoredShow } from "../../domain/show.ts";
import { shorten } from "../../lib/format.ts";
import { toPlainLine, toPlainText } from "./html-text.server.ts";
import { parseWebsite } from "./website.server.ts";

export interface FestivalShow extends StoredShow {
  warnings: string[] | null;
  /** Street and post code. */
  venue_address: string | null;
  /** As `start/minutes;…` in Edinburgh's local time: one string takes a tenth of a list's memory. */
  performances: string | null;
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
const MAX_TIME = 40;

const MAX_PERFORMANCES = 1_000;

const anyText = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);
const text = anyText.transform((value) => value?.slice(0, MAX_READ) ?? null);
const line = text.transform((value) => (value === null ? null : toLine(value)));
const description = anyText.transform((value) =>
  value ? toPlainText(value.slice(0, MAX_DESCRIPTION)) : null,
);
const time = anyText.transform((value) => (value ? toPlainLine(value.slice(0, MAX_TIME)) : null));
const digits = z.string().trim().regex(/^\d+$/).transform(Number);
const yearNumber = z.union([z.int(), digits], { error: "it has a year that is no number" });

const venueRecord = z.object({ name: line, address: line, post_code: line });

const performanceRecord = z
  .object({ start: time, end: time, duration_minutes: z.number().nullish().catch(null) })
  .nullable()
  .catch(null);

const performancesList = z.preprocess(
  (list) => (Array.isArray(list) ? list.slice(0, MAX_PERFORMANCES) : list),
  z.array(performanceRecord).catch([]),
);

/** Only title and year can make a record invalid. Any other unexpected value counts as missing. */
const eventRecord = z.object({
  title: line.pipe(z.string({ error: "it has no title" })),
  year: yearNumber.nullish(),
  website: text,
  artist: line,
  genre: line,
  description,
  venue: venueRecord.nullish().catch(null),
  warnings: line,
  performances: performancesList,
});

type Event = z.infer<typeof eventRecord>;

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

function toShow(event: Event): Omit<FestivalShow, "id" | "year" | "status"> {
  const { title, website, artist, genre, description, venue, warnings, performances } = event;
  return {
    ...{ title, artist, genre, description },
    venue_name: venue?.name ?? null,
    venue_address: [venue?.address, venue?.post_code].filter(Boolean).join(", ") || null,
    website: parseWebsite(website ?? ""),
    warnings: parseWarnings(warnings),
    performances: performances.flatMap(describePerformance).sort().join(";") || null,
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

function toLine(text: string): string | null {
  const plain = toPlainLine(text);
  return plain === null ? null : shorten(plain, MAX_LINE);
}

/** `start/minutes`. None without a start. */
function describePerformance(performance: Event["performances"][number]): string[] {
  if (!performance?.start) return [];
  const { start, end, duration_minutes } = performance;
  return [`${start}/${duration_minutes ?? (end ? minutesBetween(start, end) : null) ?? ""}`];
}

function minutesBetween(start: string, end: string): number | null {
  const minutes = (Date.parse(`${end}Z`) - Date.parse(`${start}Z`)) / 60_000;
  return minutes > 0 ? Math.round(minutes) : null;
}

function describeIssues(error: z.ZodError): string {
  return error.issues.map(({ message }) => message).join("; ");
}
