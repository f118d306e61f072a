import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import type { ApiError } from "../../domain/api-error.ts";
import { BusyPageError } from "../admission/busy-page.server.ts";

/** A request that is answered with an error: the status, a stable code, a message for people, and when to try again, in seconds. */
export class HttpError extends Error {
  override name = "HttpError";
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly retryAfter: number | undefined;

  constructor(status: ContentfulStatusCode, code: string, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Answers `{ code, message }`, the form of every error of the API. */
export function sendError(c: Context, { status, code, message, retryAfter }: HttpError): Response {
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  return c.json({ code, message } satisfies ApiError, status, { "Cache-Control": "no-store" });
}

const internalError = new HttpError(500, "internal_error", "Something went wrong. Please try again.");

/** For what needs the database: nearly always it is away, and asking again later is right. */
export const unavailable = new HttpError(503, "unavailable", "This does not work just now. Please try again.", 5);

/** How a part of the site answers errors. */
interface ErrorAnswers {
  /** For what was not foreseen. */
  unforeseen?: HttpError;
  /** Why something failed without anybody's mistake, the database being away, say; else null. It is answered in the same way, and not logged as a mistake. */
  foreseen?: (error: unknown) => string | null;
  send?: (c: Context, error: HttpError) => Response;
}

/**
 * Answers what a handler threw: an HttpError as it is, a page that cannot be made now, a page in an HTTPException (which several requests may have
 * waited for) as a copy; anything else as an error that tells nothing, a 500 unless given. That is logged with its place, or where it was
 * foreseen as the reason in the line about the request: while the database is away there are as many as there are requests.
 */
export function handleErrors(
  log: Logger,
  { unforeseen = internalError, foreseen = () => null, send = sendError }: ErrorAnswers = {},
): ErrorHandler {
  return function answerError(error, c) {
    if (error instanceof HttpError) return send(c, error);
    if (error instanceof BusyPageError) return c.body(error.html, error.status, error.headers);
    if (error instanceof HTTPException && error.res) return error.res.clone();
    const reason = foreseen(error);
    if (reason === null) log.error({ err: error, method: c.req.method, path: c.req.path }, "Request failed");
    else c.set("reason", reason);
    return send(c, unforeseen);
  };
}
