/**
 * - `timeout`, `unavailable`, `garbled`: the API did not answer, answered that it cannot (429, 5xx), or answered something
 *   that is no list; a later try may go well.
 * - `refused`: it does not accept the key or the secret.
 * - `rejected`: any other answer; asking again would bring the same.
 */
type Code = "timeout" | "unavailable" | "garbled" | "refused" | "rejected";

/** A page of the festival's programme could not be had. The message holds neither the key, the secret nor a signed URL. */
export class FestivalApiError extends Error {
  override name = "FestivalApiError";
  readonly code: Code;
  /** How long the API asked us to wait before the next try, in ms. */
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

/** The error for an answer that is not 200, from its status and `Retry-After`. */
export function errorOfStatus(response: Response): FestivalApiError {
  const { status, headers } = response;
  if (status === 401 || status === 403) {
    return new FestivalApiError(
      "refused",
      `The festival's API refuses the key or the secret (HTTP ${status}): check FESTIVAL_API_KEY and FESTIVAL_API_SECRET.`,
    );
  }
  const message = `The festival's API answered HTTP ${status}.`;
  if (status !== 429 && status < 500) return new FestivalApiError("rejected", message);
  return new FestivalApiError("unavailable", message, readRetryAfter(headers.get("retry-after")));
}

/** The wait that `Retry-After` asks for, in ms: given in seconds or as an HTTP date; 0 where it makes no sense. */
export function readRetryAfter(value: string | null, now = Date.now()): number {
  const wait = /^\d+$/.test(value ?? "") ? Number(value) * 1000 : Date.parse(value ?? "") - now;
  return Number.isFinite(wait) ? Math.max(wait, 0) : 0;
}
