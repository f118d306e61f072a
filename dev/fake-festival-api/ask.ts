import type { FestivalEvent } from "./event.ts";
import type { FestivalStandIn } from "./server.ts";
import { sign } from "./signature.ts";

/** Asks the stand-in for a path and query as a client with its credentials does: `/events?festival=fringe`. */
export function ask(standIn: FestivalStandIn, pathAndQuery: string, init?: RequestInit): Promise<Response> {
  const message = `${pathAndQuery}${pathAndQuery.includes("?") ? "&" : "?"}key=${encodeURIComponent(standIn.key)}`;
  return fetch(`${standIn.url}${message}&signature=${sign(message, standIn.secret)}`, init);
}

/** One page of the stand-in's Fringe of 2025, and what `x-total-results` said; null: nothing. */
export async function askPage(
  standIn: FestivalStandIn,
  from = 0,
  size = 100,
): Promise<{ events: FestivalEvent[]; total: number | null }> {
  const response = await ask(standIn, `/events?festival=fringe&year=2025&size=${size}&from=${from}`);
  const total = response.headers.get("x-total-results");
  return { events: await response.json(), total: total === null ? null : Number(total) };
}

/** All pages of a listing, until one is not full. */
export async function askAll(standIn: FestivalStandIn, size = 100): Promise<FestivalEvent[]> {
  const all: FestivalEvent[] = [];
  for (;;) {
    const { events } = await askPage(standIn, all.length, size);
    all.push(...events);
    if (events.length < size) return all;
  }
}
