import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pRetry from "p-retry";
import type { Logger } from "pino";
import type { FestivalApiConfig } from "../../config/environment.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { limitResponse, parseRetryAfter } from "../../lib/responses.ts";

/** The API's maximum. */
export const RECORDS_PER_PAGE = 100;

/** The API may send more than the requested size, but not far more. */
const MAX_RECORDS = 5 * RECORDS_PER_PAGE;
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

/** `garbled`: not a JSON list. `refused`: wrong key or secret. `rejected`: any other status, or too large. */
type Code = "timeout" | "unavailable" | "garbled" | "refused" | "rejected";

/** The message contains no key, secret or signed URL. */
export class FestivalApiError extends OperatorError {
  override name = "FestivalApiError";
  readonly code: Code;
  /** In ms; 0 if there is none. */
  readonly retryAfter: number;

  constructor(code: Code, message: string, retryAfter = 0) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }

  get retryable(): boolean {
    return this.code !== "refused" && this.code !== "rejected";
  }
}

function errorForResponse(response: Response): FestivalApiError {
  const { status, headers } = response;
  if (status === 401 || status === 403) {
    return new FestivalApiError(
      "refused",
      `The festival's API refuses the key or the secret (HTTP ${status}): check FESTIVAL_API_KEY and FESTIVAL_API_SECRET.`,
    );
  }
  const message = `The festival's API answered HTTP ${status}.`;
  if (status !== 429 && status < 500) return new FestivalApiError("rejected", message);
  return new FestivalApiError("unavailable", message, parseRetryAfter(headers.get("retry-after")));
}

/** @throws FestivalApiError, or the signal's reason */
export function fetchPage(api: FestivalApi, query: PageQuery): Promise<ProgrammePage> {
  const { retryDelay = 1000, log } = api;
  return pRetry(() => requestPage(api, query), {
    retries: MAX_ATTEMPTS - 1,
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
      await delay(Math.min(error.retryAfter, MAX_RETRY_AFTER_MS), undefined, { signal: query.signal });
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
      ? new FestivalApiError("timeout", "The festival's API did not answer in time.")
      : asApiError(error);
  }
}

async function readList(response: Response): Promise<unknown[]> {
  const tooLarge = new FestivalApiError("rejected", "The festival's API sent more than 5 MB at once.");
  const list: unknown = await limitResponse(response, MAX_BODY_BYTES, tooLarge)
    .json()
    .catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error;
    });
  if (!Array.isArray(list))
    throw new FestivalApiError("garbled", "The festival's API answered something that is no list.");
  if (list.length > MAX_RECORDS)
    throw new FestivalApiError(
      "rejected",
      `The festival's API sent ${list.length} records at once; more than ${MAX_RECORDS} are refused.`,
    );
  return list;
}

/** Drops the message, which may contain the signed URL. */
function asApiError(error: unknown): FestivalApiError {
  if (error instanceof FestivalApiError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
  const code = cause && "code" in cause ? ` (${cause.code})` : "";
  return new FestivalApiError("unavailable", `The connection to the festival's API failed${code}.`);
}
