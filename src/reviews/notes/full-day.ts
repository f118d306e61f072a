import { isoDay } from "./note-day.ts";

/** The day in Edinburgh at an ISO 8601 time, in full: `12 August 2026`. */
export function fullDay(time: string): string {
  const day = new Date(isoDay(time));
  return day.toLocaleDateString("en-GB", { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
}
