import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { closeAtOnce, listenOnLoopback } from "../loopback-server.ts";
import { answerEvent, answerPage } from "./answers.ts";
import type { FestivalEvent } from "./event.ts";
import { createHitBy, type Fault, type Faults, noFaults } from "./faults.ts";
import { pageBounds } from "./listing.ts";
import { programmeOnDemand } from "./programme.ts";
import { seededRandom } from "./random.ts";
import { sendJson } from "./send.ts";
import { isSigned } from "./signature.ts";

export interface FestivalStandInOptions {
  /** The shows it lists; asked for at each request, so that a test may change them. Invented unless given. */
  programme?: () => FestivalEvent[];
  key?: string;
  secret?: string;
  /** 0: any free one. */
  port?: number;
  faults?: Faults;
  log?: Logger;
  /** What time it is, which decides the year when a request names none. */
  now?: () => Date;
}

export interface FestivalStandIn {
  /** Without a trailing slash. */
  url: string;
  key: string;
  secret: string;
  /** What is wrong with it; change it at any time. */
  faults: Faults;
  /** Path and query of every request exactly as received, oldest first, refused ones too. */
  requests: string[];
  /** Stops at once, whatever is being answered. */
  close(): Promise<void>;
}

/** A local server that speaks the festival's listings API. Rejects when it cannot listen on the port. */
export async function startFestivalStandIn({
  programme = programmeOnDemand(),
  key = "stand-in-key",
  secret = "stand-in-secret",
  port = 0,
  faults = noFaults(),
  log,
  now = () => new Date(),
}: FestivalStandInOptions = {}): Promise<FestivalStandIn> {
  const requests: string[] = [];
  const random = seededRandom(1);
  const hitBy = createHitBy(random);

  // The signature comes first: no fault hides a client's wrong one.
  async function answer({ url: target = "/" }: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push(target);
    if (!isSigned(target, { key, secret })) return sendJson(response, 403, { error: "Key or signature is wrong" });
    const { path, params } = parseTarget(target);
    const isPage = path === "/events";
    const hits = hitBy(faults.rules, isPage ? pageBounds(params).from : null);
    log?.debug({ path, from: params.get("from"), faults: hits.map(({ kind }) => kind) }, "The stand-in was asked");
    await delay(hits, response);
    if (response.destroyed) return;
    const listings = { programme: programme(), faults, random, now };
    if (isPage) answerPage(listings, response, params, hits);
    else answerEvent(listings, response, path, hits);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log?.error({ err: error }, "The stand-in could not answer");
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

/** Waits as long as the faults say, at most until the client is gone. */
async function delay(hits: readonly Fault[], response: ServerResponse): Promise<void> {
  if (hits.some(({ kind }) => kind === "hang")) await once(response, "close");
  const ms = hits.reduce((sum, fault) => sum + (fault.kind === "slow" ? fault.ms : 0), 0);
  if (ms > 0) await Promise.race([setTimeout(ms, undefined, { ref: false }), once(response, "close")]);
}
