import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import { BusyPageError } from "./overload-page.server.ts";

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
  return c.json({ code, message }, status, { "Cache-Control": "no-store" });
}

const internalError = new HttpError(500, "internal_error", "Something went wrong. Please try again.");

/** For what needs the database: nearly always it is away, and asking again later is right. */
export const unavailable = new HttpError(503, "unavailable", "This does not work just now. Please try again.", 5);

/**
 * Answers what a handler threw: an HttpError as it is, a page that cannot be made now, a page in an HTTPException (which several requests may have
 * waited for) as a copy; anything else is logged and answered as an error that tells nothing, a 500 unless given.
 */
export function handleErrors(log: Logger, unforeseen = internalError): ErrorHandler {
  return function answerError(error, c) {
    if (error instanceof HttpError) return sendError(c, error);
    if (error instanceof BusyPageError) return c.body(error.page.html, error.page.status, error.page.headers);
    if (error instanceof HTTPException && error.res) return error.res.clone();
    log.error({ err: error, method: c.req.method, path: c.req.path }, "Request failed");
    return sendError(c, unforeseen);
  };
}
