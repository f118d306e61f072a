import { createHash } from "node:crypto";
import type { FestivalEvent } from "./event.ts";
import type { Faults, Spoil } from "./faults.ts";
import type { Random } from "./random.ts";

const DEFAULT_SIZE = 25;
const MAX_SIZE = 100;

/** The last segment of the URL, for records without an id. */
export function idOf(event: FestivalEvent): string {
  return event.id ?? event.url.slice(event.url.lastIndexOf("/") + 1);
}

/** The year begins on 15 January. */
function festivalYear(now: Date): number {
  const rolledOver = now.getUTCMonth() > 0 || now.getUTCDate() >= 15;
  return now.getUTCFullYear() - (rolledOver ? 0 : 1);
}

/** Requests with `modified_from` get all deleted shows, others get none. */
export function listEvents(
  programme: readonly FestivalEvent[],
  params: URLSearchParams,
  faults: Faults,
  now: Date,
): FestivalEvent[] {
  const festival = params.get("festival");
  const year = Number(params.get("year") ?? festivalYear(now));
  const since = params.get("modified_from");
  return programme
    .slice(0, Math.ceil(programme.length * faults.shrink))
    .map((event) => (faults.deleted.has(idOf(event)) ? { ...event, status: "deleted" as const } : event))
    .filter((event) => festival === null || event.festival_id === festival)
    .filter((event) => Number(event.year) === year)
    .filter(({ status, updated = "" }) => {
      if (status === "deleted") return since !== null || faults.listDeleted;
      return since === null || updated >= since;
    });
}

export function pageBounds(params: URLSearchParams): { from: number; size: number } {
  const size = wholeNumber(params.get("size")) || DEFAULT_SIZE;
  return { from: wholeNumber(params.get("from")), size: Math.min(size, MAX_SIZE) };
}

const wholeNumber = (text: string | null) => (text !== null && /^\d+$/.test(text) ? Number(text) : 0);

/** Moves each by at most this number of places. */
export function shuffled<T>(members: readonly T[], places: number, random: Random): T[] {
  return members
    .map((member, index) => ({ member, rank: index + random.next() * places }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ member }) => member);
}

/** 40 hexadecimal digits. */
function newId(random: Random): string {
  return createHash("sha1").update(String(random.next())).digest("hex");
}

/** Deletes, adds or moves one. */
export function changeList(programme: FestivalEvent[], random: Random): void {
  const change = random.pick(["delete", "add", "move"] as const);
  const place = () => random.int(0, programme.length - 1);
  const show = programme[place()];
  if (!show) return;
  if (change !== "add") programme.splice(programme.indexOf(show), 1);
  if (change === "move") programme.splice(place(), 0, show);
  if (change === "add") programme.splice(place(), 0, { ...show, id: newId(random) });
}

export function spoil(event: FestivalEvent, how: Spoil | undefined): unknown {
  const { title, id, url, ...rest } = event;
  if (how === "null") return null;
  if (how === "no title") return { id, url, ...rest };
  if (how === "blank title") return { ...event, title: " \n" };
  if (how === "title is a number") return { ...event, title: 2025 };
  if (how === "long title") return { ...event, title: `${title} `.repeat(100) };
  return how === "no id and no url" ? { title, ...rest } : event;
}
