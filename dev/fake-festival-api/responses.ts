import type { ServerResponse } from "node:http";
import type { FestivalEvent } from "./event.ts";
import type { Fault, Faults } from "./faults.ts";
import { changeList, idOf, listEvents, pageBounds, shuffled, spoil } from "./listing.ts";
import type { Random } from "./random.ts";
import { sendBroken, sendJson } from "./send.ts";

export interface Listings {
  programme: FestivalEvent[];
  faults: Faults;
  random: Random;
  now: () => Date;
}

/** A bare array, and the total in `x-total-results`. */
export function respondWithPage(
  listings: Listings,
  response: ServerResponse,
  params: URLSearchParams,
  hits: Fault[],
): void {
  const { programme, faults, random, now } = listings;
  for (const { kind } of hits) if (kind === "changed") changeList(programme, random);
  const places = hits.find((fault) => fault.kind === "shuffled")?.places ?? 0;
  const listed = shuffled(listEvents(programme, params, faults, now()), places, random);
  const { from, size } = pageBounds(params);
  const page = listed
    .slice(from, from + size)
    .slice(0, hits.find((fault) => fault.kind === "short")?.keep)
    .map((event) => spoil(event, faults.spoiled.get(idOf(event))));
  const claim = hits.find((fault) => fault.kind === "total")?.claim ?? listed.length;
  const headers = claim === "nothing" ? {} : { "x-total-results": String(claim) };
  if (!sendBroken(response, hits, page)) sendJson(response, 200, page, headers);
}

export function respondWithEvent(
  { programme, faults }: Listings,
  response: ServerResponse,
  path: string,
  hits: Fault[],
): void {
  const id = path.match(/^\/events\/([^/]+)$/)?.[1];
  const event = programme.find((candidate) => idOf(candidate) === id && !faults.deleted.has(idOf(candidate)));
  const body = event ? spoil(event, faults.spoiled.get(idOf(event))) : { error: "Event not found" };
  if (!sendBroken(response, hits, body)) sendJson(response, event ? 200 : 404, body);
}
