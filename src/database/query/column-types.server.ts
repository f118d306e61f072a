import { type RawBuilder, sql } from "kysely";

export function isRowId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}

/** In the format of `Date.prototype.toISOString`. */
export function isoTime<T = string>(time: string | RawBuilder<Date>): RawBuilder<T> {
  const value = typeof time === "string" ? sql.ref(time) : time;
  return sql<T>`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
