import { YEAR } from "./programme.ts";

/** Swedish has the format of ISO 8601. */
const edinburgh = new Intl.DateTimeFormat("sv", { timeZone: "Europe/London" });

/** The day in Edinburgh, on the server and in every browser: `2026-08-12`. @param time ISO 8601 in UTC */
export function isoDay(time: string): string {
  // Edinburgh is at most an hour ahead, and the format is slow for thousands of reviews.
  return time.slice(11, 13) === "23" ? edinburgh.format(new Date(time)) : time.slice(0, 10);
}

/** As in a note: `12 Aug`, or `12 Aug 2026` outside the festival's year (docs/product.md §4.7). */
export function noteDay(time: string): string {
  return new Date(isoDay(time)).toUTCString().slice(5, 16).replace(/^0/, "").replace(` ${YEAR}`, "");
}
