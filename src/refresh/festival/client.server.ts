import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pRetry from "p-retry";
import type { Logger } from "pino";
import type { FestivalApiConfig } from "../../config/environment.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { limitResponse, parseRetryAfter } from "../../lib/responses.ts";

/** The API's maximum. */
export const RECORDS_PER_PAGE = 100;

const MAX_ATTEMPTS = 5;
const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_RETRY_AFTER_MS = 5 * 60_000;

export interface FestivalApi extends FestivalApiConfig {
  log: Logger;
  /** In ms, for a page with its body. */
  timeout?: number;
  /** In ms. Doubles at each attempt, and is multiplied by a random factor of 1 to 2. */
  retryDelay?: number;
}

export interface PageQuery {
  year: number;
  from: number;
  signal?: AbortSignal | undefined;
}

export interface ProgrammePage {
  records: unknown[];
  /** The length of the whole list (`x-total-results`), if the response has it. */
  total: number | null;
}

/** The message contains no key, secret or signed URL. */
export class FestivalApiError extends OperatorError {
  override name = "FestivalApiError";
  /** In ms; null where another attempt would not help. */
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null = null) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

function errorForResponse({ status, headers }: Response): FestivalApiError {
  if (status === 401 || status === 403)
    return new FestivalApiError(
      `The festival's API refuses the key or the secret (HTTP ${status}): check FESTIVAL_API_KEY and FESTIVAL_API_SECRET.`,
    );
  const isTransient = status === 429 || status >= 500;
  const retryAfter = isTransient ? parseRetryAfter(headers.get("retry-after")) : null;
  return new FestivalApiError(`The festival's API answered HTTP ${status}.`, retryAfter);
}

/** @throws FestivalApiError, or the signal's reason */
export function fetchPage(api: FestivalApi, query: PageQuery): Promise<ProgrammePage> {
  const { retryDelay = 1000, log } = api;
  return pRetry(() => requestPage(api, query), {
    retries: MAX_ATTEMPTS - 1,
    minTimeout: retryDelay,
    randomize: true,
    ...(query.signal && { signal: query.signal }),
    async shouldRetry({ error, attemptNumber }) {
      if (!(error instanceof FestivalApiError) || error.retryAfter === null) return false;
      log.warn(
        { from: query.from, attempt: attemptNumber, reason: error.message },
        "A page of the festival's programme failed; trying again",
      );
      await delay(Math.min(error.retryAfter, MAX_RETRY_AFTER_MS), undefined, { signal: query.signal });
      return true;
    },
  });
}

/** The API demands HMAC-SHA1 in lower-case hex over path and query, exactly as sent. */
export function sign(pathAndQuery: string, secret: string): string {
  return createHmac("sha1", secret).update(pathAndQuery).digest("hex");
}

function signedUrl({ url, key, secret }: FestivalApi, { year, from }: PageQuery): string {
  const query = `festival=fringe&year=${year}&size=${RECORDS_PER_PAGE}&from=${from}&key=${encodeURIComponent(key)}`;
  const { href, pathname, search } = new URL(`/events?${query}`, url);
  return `${href}&signature=${sign(pathname + search, secret)}`;
}

async function requestPage(api: FestivalApi, query: PageQuery): Promise<ProgrammePage> {
  const timeout = AbortSignal.timeout(api.timeout ?? 30_000);
  const signal = query.signal ? AbortSignal.any([query.signal, timeout]) : timeout;
  try {
    const response = await fetch(signedUrl(api, query), {
      signal,
      redirect: "manual",
      headers: { accept: "application/json" },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw errorForResponse(response);
    }
    const total = response.headers.get("x-total-results") ?? "";
    return { records: await readList(response), total: /^\d+$/.test(total) ? Number(total) : null };
  } catch (error) {
    query.signal?.throwIfAborted();
    throw timeout.aborted
      ? new FestivalApiError("The festival's API did not answer in time.", 0)
      : asApiError(error);
  }
}

async function readList(response: Response): Promise<unknown[]> {
  const tooLarge = new FestivalApiError("The festival's API sent more than 5 MB at once.");
  const list: unknown = await limitResponse(response, MAX_BODY_BYTES, tooLarge)
    .json()
    .catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error;
    });
  if (!Array.isArray(list))
    throw new FestivalApiError("The festival's API answered something that is no list.", 0);
  return list;
}

/** Drops the message, which may contain the signed URL. */
function asApiError(error: unknown): FestivalApiError {
  if (error instanceof FestivalApiError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
  const code = cause && "code" in cause ? ` (${cause.code})` : "";
  return new FestivalApiError(`The connection to the festival's API failed${code}.`, 0);
}
