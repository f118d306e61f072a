import { YEAR } from "../../src/domain/programme.ts";
import type { FestivalEvent } from "./event.ts";
import type { FakeFestivalApi } from "./server.ts";
import { sign } from "./signature.ts";

/** For a path and query such as `/events?festival=fringe`. */
export function fetchSigned(
  fake: FakeFestivalApi,
  pathAndQuery: string,
  init?: RequestInit,
): Promise<Response> {
  const message = `${pathAndQuery}${pathAndQuery.includes("?") ? "&" : "?"}key=${encodeURIComponent(fake.key)}`;
  return fetch(`${fake.url}${message}&signature=${sign(message, fake.secret)}`, init);
}

/** `total` is the value of `x-total-results`, null without the header. */
export async function fetchPage(
  fake: FakeFestivalApi,
  from = 0,
  size = 100,
): Promise<{ events: FestivalEvent[]; total: number | null }> {
  const response = await fetchSigned(fake, `/events?festival=fringe&year=${YEAR}&size=${size}&from=${from}`);
  const total = response.headers.get("x-total-results");
  return { events: await response.json(), total: total === null ? null : Number(total) };
}

/** Fetches pages until one is not full. */
export async function fetchAll(fake: FakeFestivalApi, size = 100): Promise<FestivalEvent[]> {
  const all: FestivalEvent[] = [];
  for (;;) {
    const { events } = await fetchPage(fake, all.length, size);
    all.push(...events);
    if (events.length < size) return all;
  }
}
