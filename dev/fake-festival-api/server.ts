import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { programmeOnDemand } from "../invented-data.ts";
import { closeAtOnce, listenOnLoopback } from "../loopback-server.ts";
import type { FestivalEvent } from "./event.ts";
import { createFaultPicker, type Fault, type Faults, noFaults } from "./faults.ts";
import { pageBounds } from "./listing.ts";
import { seededRandom } from "./random.ts";
import { respondWithEvent, respondWithPage } from "./responses.ts";
import { sendJson } from "./send.ts";
import { isSigned } from "./signature.ts";

export interface FakeFestivalApiOptions {
  /** Called for each request. The default is an invented programme. */
  programme?: () => FestivalEvent[];
  key?: string;
  secret?: string;
  /** 0: any free port. */
  port?: number;
  faults?: Faults;
  /** Of the faults that happen at random. */
  seed?: number;
  log?: Logger;
  /** Decides the year of requests without one. */
  now?: () => Date;
}

export interface FakeFestivalApi {
  /** Without a trailing slash. */
  url: string;
  key: string;
  secret: string;
  /** May change at any time. */
  faults: Faults;
  /** Path and query as received, oldest first, including refused requests. */
  requests: string[];
  /** Stops at once and cuts off requests in flight. */
  close(): Promise<void>;
}

/** Rejects if it cannot listen on the port. */
export async function startFakeFestivalApi({
  programme = programmeOnDemand(),
  key = "fake-key",
  secret = "fake-secret",
  port = 0,
  faults = noFaults(),
  seed = 1,
  log,
  now = () => new Date(),
}: FakeFestivalApiOptions = {}): Promise<FakeFestivalApi> {
  const requests: string[] = [];
  const random = seededRandom(seed);
  const pickFaults = createFaultPicker(random);

  // Checks the signature first, so that no fault hides a wrong one.
  async function respond({ url: target = "/" }: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push(target);
    if (!isSigned(target, { key, secret }))
      return sendJson(response, 403, { error: "Key or signature is wrong" });
    const { path, params } = parseTarget(target);
    const isPage = path === "/events";
    const hits = pickFaults(faults.rules, isPage ? pageBounds(params).from : null);
    log?.debug(
      { path, from: params.get("from"), faults: hits.map(({ kind }) => kind) },
      "The fake API got a request",
    );
    await delay(hits, response);
    if (response.destroyed) return;
    const listings = { programme: programme(), faults, random, now };
    if (isPage) respondWithPage(listings, response, params, hits);
    else respondWithEvent(listings, response, path, hits);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      log?.error({ err: error }, "The fake API could not respond");
      response.destroy();
    });
  });
  const url = await listenOnLoopback(server, port);
  return { url, key, secret, faults, requests, close: () => closeAtOnce(server) };
}

function parseTarget(target: string): { path: string; params: URLSearchParams } {
  const [path = "", query] = target.split(/\?(.*)/s);
  return { path, params: new URLSearchParams(query) };
}

/** Ends early if the client disconnects. */
async function delay(hits: readonly Fault[], response: ServerResponse): Promise<void> {
  const closed = () => once(response, "close");
  for (const fault of hits)
    if (fault.kind === "hang") await Promise.race(fault.until ? [fault.until, closed()] : [closed()]);
  const ms = hits.reduce((sum, fault) => sum + (fault.kind === "slow" ? fault.ms : 0), 0);
  if (ms > 0) await Promise.race([setTimeout(ms, undefined, { ref: false }), closed()]);
}
