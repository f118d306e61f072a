import type { FoundShow } from "../catalogue/list.server.ts";

/** As `GMT` or `GMT+01:00`. */
const offsets = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/London", timeZoneName: "longOffset" });

/** docs/product.md §3.14. Search engines refuse an event without a place or a date. It has no rating. */
export function eventOf({ show, metadata }: FoundShow, url: string): object | undefined {
  const performances = parsePerformances(metadata.performances ?? "");
  const [first] = performances;
  const last = performances.at(-1);
  if (!show.venue_name || !first || !last) return undefined;
  const shared = {
    "@type": "Event",
    name: show.title,
    url,
    eventStatus: `https://schema.org/${show.status === "cancelled" ? "EventCancelled" : "EventScheduled"}`,
    location: {
      "@type": "Place",
      name: show.venue_name,
      ...(metadata.address && { address: metadata.address }),
    },
  };
  return {
    "@context": "https://schema.org",
    ...shared,
    startDate: first.startDate,
    endDate: last.endDate ?? last.startDate,
    ...(performances.length > 1 && { subEvent: performances.map((dates) => ({ ...shared, ...dates })) }),
  };
}

function parsePerformances(text: string): { startDate: string; endDate?: string }[] {
  return text.split(";").flatMap((performance) => {
    const [start = "", minutes = ""] = performance.split("/");
    const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)$/.exec(start) ?? [];
    const startsAt = Date.parse(`${day}T${time}Z`);
    if (Number.isNaN(startsAt)) return [];
    const duration = Number(minutes) * 60_000;
    return [{ startDate: toLocal(startsAt), ...(duration > 0 && { endDate: toLocal(startsAt + duration) }) }];
  });
}

/** @param local Edinburgh's local time as if it were UTC, in ms since 1970 */
function toLocal(local: number): string {
  const zone = offsets.formatToParts(local).find(({ type }) => type === "timeZoneName")?.value;
  const offset = zone?.slice("GMT".length) || "+00:00";
  return new Date(local).toISOString().slice(0, "YYYY-MM-DDThh:mm:ss".length) + offset;
}
