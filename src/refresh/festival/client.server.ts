import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pRetry from "p-retry";
import type { Logger } from "pino";
import type { FestivalApiConfig } from "../../config/environment.server.ts";
import { errorOfStatus, FestivalApiError } from "./client-error.server.ts";

/** Records on a page: the most that the API gives at once. */
export const PAGE_RECORDS = 100;

const TRIES = 5;
const LARGEST_BODY = 50 * 1024 * 1024;
/** The longest that a `Retry-After` makes us wait, in ms. */
const LONGEST_WAIT = 5 * 60_000;

/** The API, and how patient to be with it. */
export interface FestivalApi extends FestivalApiConfig {
  log: Logger;
  /** The time limit of one page with its body, in ms. */
  timeout?: number;
  /** The wait before the second try, in ms; it doubles from try to try and is drawn out by up to as much again. */
  retryDelay?: number;
}

export interface PageQuery {
  year: number;
  /** The index of the page's first record. */
  from: number;
  signal?: AbortSignal | undefined;
}

export interface ProgrammePage {
  records: unknown[];
  /** `x-total-results`: how many records the whole list has; null where the answer does not say. */
  total: number | null;
}

/**
 * One page of the Fringe's programme. Failures that may pass (time-outs, lost connections, 429, 5xx, answers that are no
 * list) are tried again with growing waits, five tries in all.
 * @throws FestivalApiError when no try went well
 * Once the signal is aborted it rejects, with whatever that throws.
 */
export function fetchPage(api: FestivalApi, query: PageQuery): Promise<ProgrammePage> {
  const { retryDelay = 1000, log } = api;
  return pRetry(() => requestPage(api, query), {
    retries: TRIES - 1,
    minTimeout: retryDelay,
    randomize: true,
    ...(query.signal && { signal: query.signal }),
    shouldRetry: ({ error }) => error instanceof FestivalApiError && error.retryable,
    onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
      if (!(error instanceof FestivalApiError) || !error.retryable || retriesLeft === 0) return;
      log.warn(
        { from: query.from, attempt: attemptNumber, reason: error.message },
        "A page of the festival's programme failed; trying again",
      );
      await delay(Math.min(error.retryAfter, LONGEST_WAIT), undefined, { signal: query.signal });
    },
  });
}

/** Lower-case hex HMAC-SHA1 of a request's path and query, exactly as they are sent. */
export function sign(pathAndQuery: string, secret: string): string {
  return createHmac("sha1", secret).update(pathAndQuery).digest("hex");
}

function signedUrl({ url, key, secret }: FestivalApi, { year, from }: PageQuery): string {
  const query = `festival=fringe&year=${year}&size=${PAGE_RECORDS}&from=${from}&key=${encodeURIComponent(key)}`;
  const { href, pathname, search } = new URL(`/events?${query}`, url);
  return `${href}&signature=${sign(pathname + search, secret)}`;
}

async function requestPage(api: FestivalApi, query: PageQuery): Promise<ProgrammePage> {
  const limit = AbortSignal.timeout(api.timeout ?? 30_000);
  const signal = query.signal ? AbortSignal.any([query.signal, limit]) : limit;
  try {
    const response = await fetch(signedUrl(api, query), {
      signal,
      redirect: "manual",
      headers: { accept: "application/json" },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw errorOfStatus(response);
    }
    const total = response.headers.get("x-total-results") ?? "";
    return { records: parseList(await readBody(response)), total: /^\d+$/.test(total) ? Number(total) : null };
  } catch (error) {
    query.signal?.throwIfAborted();
    throw limit.aborted
      ? new FestivalApiError("timeout", "The festival's API did not answer in time.")
      : asApiError(error);
  }
}

async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST_BODY) throw new FestivalApiError("rejected", "The festival's API sent more than 50 MB at once.");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseList(body: string): unknown[] {
  const list = parseJson(body);
  if (!Array.isArray(list))
    throw new FestivalApiError("garbled", "The festival's API answered something that is no list.");
  return list;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** What `fetch` throws when a connection cannot be had or breaks; its own message may hold the signed URL, so only the code is kept. */
function asApiError(error: unknown): FestivalApiError {
  if (error instanceof FestivalApiError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
  const code = cause && "code" in cause ? ` (${cause.code})` : "";
  return new FestivalApiError("unavailable", `The connection to the festival's API failed${code}.`);
}
