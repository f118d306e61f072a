import { parseRetryAfter } from "../../lib/responses.ts";

/** `garbled`: not a JSON list. `refused`: wrong key or secret. `rejected`: any other status, or too large. */
type Code = "timeout" | "unavailable" | "garbled" | "refused" | "rejected";

/** The message contains no key, secret or signed URL. */
export class FestivalApiError extends Error {
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

export function errorForResponse(response: Response): FestivalApiError {
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
