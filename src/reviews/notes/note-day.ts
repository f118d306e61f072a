import { YEAR } from "../../domain/programme.ts";

/** Swedish has the format of ISO 8601. */
const edinburgh = new Intl.DateTimeFormat("sv", { timeZone: "Europe/London" });

/** The day in Edinburgh at an ISO 8601 time, on the server and in every browser: `2026-08-12`. */
export function isoDay(time: string): string {
  return edinburgh.format(new Date(time));
}

/** As in a note: `12 Aug`, or `12 Aug 2026` outside the festival's year (docs/product.md §4.7). */
export function noteDay(time: string): string {
  return new Date(isoDay(time)).toUTCString().slice(5, 16).replace(/^0/, "").replace(` ${YEAR}`, "");
}
