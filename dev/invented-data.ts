import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { YEAR } from "../src/domain/programme.ts";
import type { Interaction } from "../src/domain/review.ts";
import type { FestivalEvent } from "./fake-festival-api/event.ts";

/** Of the dates in both files. */
const DATA_YEAR = 2025;

export interface ProgrammeSlice {
  from?: number | undefined;
  size?: number | undefined;
  year?: number;
}

let records: string[] | undefined;

/**
 * Records as the festival's API sends them, with the irregularities of real ones, and without the name of a real
 * performer, company, venue or show. New objects at each call.
 */
export function loadProgramme({ from = 0, size, year = YEAR }: ProgrammeSlice = {}): FestivalEvent[] {
  records ??= read("invented-programme.jsonl.br").split("\n");
  const to = size === undefined ? undefined : from + size;
  return records.slice(from, to).map((record): FestivalEvent => JSON.parse(record, moveDates(year)));
}

/** Loads them on the first call, because it takes a while. */
export function programmeOnDemand(slice?: ProgrammeSlice): () => FestivalEvent[] {
  let programme: FestivalEvent[] | undefined;
  return () => {
    programme ??= loadProgramme(slice);
    return programme;
  };
}

interface InventedReviews {
  users: { id: string; email: string; created_at: string }[];
  reviews: {
    show_id: string;
    user_id: string;
    audience_interaction: Interaction;
    notes: string | null;
    created_at: string;
  }[];
}

/** Of a third of the programme's active shows, as they are stored. */
export function loadReviews(year = YEAR): InventedReviews {
  return JSON.parse(read("invented-reviews.json.br"), moveDates(year));
}

function read(name: string): string {
  return brotliDecompressSync(readFileSync(new URL(name, import.meta.url))).toString();
}

/** Texts that begin with a date or a year, addresses and subtitles that name the year. */
const dated = new Set([
  "start",
  "end",
  "updated",
  "captioning_dates",
  "code",
  "created_at",
  "website",
  "sub_title",
]);

/** A reviver, undefined if nothing moves: it would take seconds for the whole programme. */
function moveDates(year: number) {
  if (year === DATA_YEAR) return undefined;
  const seconds = (Date.UTC(year, 3) - Date.UTC(DATA_YEAR, 3)) / 1000;
  return (key: string, value: unknown) => {
    if (key === "year") return typeof value === "string" ? String(year) : year;
    if (typeof value === "string" && dated.has(key)) return value.replace(`${DATA_YEAR}`, String(year));
    // Only times of changes are as large: seconds since 1970.
    return typeof value === "number" && value > 1e9 ? value + seconds : value;
  };
}
