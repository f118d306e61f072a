import { type RawBuilder, sql } from "kysely";

export function isRowId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}

/** As `Date.prototype.toISOString` writes it, or with microseconds. */
export function isoTime<T = string>(
  time: string | RawBuilder<Date>,
  precision: "MS" | "US" = "MS",
): RawBuilder<T> {
  const format = sql.lit(`YYYY-MM-DD"T"HH24:MI:SS.${precision}"Z"`);
  return sql<T>`to_char(${typeof time === "string" ? sql.ref(time) : time} at time zone 'UTC', ${format})`;
}
