import { YEAR } from "../../domain/show.ts";

/**
 * The day of an ISO 8601 time: `12 Aug`, or `12 Aug 2026` outside the festival's year (docs/product.md §4.7).
 * In UTC, and without `Intl`, so that server and browser say the same.
 */
export function noteDay(time: string): string {
  return new Date(time).toUTCString().slice(5, 16).replace(/^0/, "").replace(` ${YEAR}`, "");
}
