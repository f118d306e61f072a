import type { YearlyCounts } from "../domain/yearly-counts.ts";
import { plural } from "../ui/plural.ts";

/** What was reported and decided in each year; nothing before the first (docs/product.md §13.24). */
export function ModerationYears({ years }: { years: readonly YearlyCounts[] }) {
  return years.map((counts) => <p key={counts.year}>{describeYear(counts)}</p>);
}

/** `In 2025: 14 reports; we kept 9 notes, hid 3, removed 2; 1 objection.` */
function describeYear(counts: YearlyCounts): string {
  const { year, reports, kept, hidden, removed, banned, objections } = counts;
  const bans = banned > 0 ? `, banned ${plural(banned, "author")}` : "";
  const decided = `we kept ${plural(kept, "note")}, hid ${hidden}, removed ${removed}${bans}`;
  return `In ${year}: ${plural(reports, "report")}; ${decided}; ${plural(objections, "objection")}.`;
}
