import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import type { ZodError } from "zod";
import { loggedPath } from "../observability/logged-path.server.ts";

/** `code` is for programs, `message` for visitors, `retryAfter` in seconds. */
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

const refusalCodes = {
  403: "cross_site",
  414: "uri_too_long",
  429: "network_rate_limited",
  503: "unavailable",
};

interface RefusalPage {
  message: string;
  html: string;
  headers: Record<string, string>;
  retryAfter?: number;
}

/** Has a page that needs no rendering (docs/product.md §8.6, §8.7). */
export class RefusalError extends HttpError {
  override name = "RefusalError";
  readonly headers: Record<string, string>;
  readonly html: string;

  constructor(status: keyof typeof refusalCodes, { message, html, headers, retryAfter }: RefusalPage) {
    super(status, refusalCodes[status], message, retryAfter);
    this.headers = { ...headers, ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }) };
    this.html = html;
  }
}

/** Whether load was shed. */
export function wasRefused({ error }: Context): boolean {
  return error instanceof RefusalError && error.status === 503;
}

export function sendPageOfRefusal(c: Context, error: HttpError): Response {
  return error instanceof RefusalError
    ? c.body(error.html, error.status, error.headers)
    : sendError(c, error);
}

export function sendError(c: Context, { status, code, message, retryAfter }: HttpError): Response {
  c.set("errorCode", code);
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  return c.json({ code, message }, status, { "Cache-Control": "no-store" });
}

export function invalidBody(code: string, { issues }: Pick<ZodError, "issues">): HttpError {
  const names = new Set(issues.map(({ path }) => path.join(".") || "The body"));
  return new HttpError(400, code, `${[...names].join(", ")}: missing or not as it should be.`);
}

const internalError = new HttpError(500, "internal_error", "Something went wrong. Please try again.");

/** For routes that need the database: nearly all their failures are outages. */
export const unavailable = new HttpError(
  503,
  "unavailable",
  "This does not work just now. Please try again.",
  5,
);

/** The commit of a write was not confirmed: it may be stored (docs/product.md §5.15). */
const unconfirmed = new HttpError(503, "unconfirmed", unavailable.message, unavailable.retryAfter);

export function outageError(c: Context): HttpError {
  return c.get("writeDeadline")?.isCommitting ? unconfirmed : unavailable;
}

interface Options {
  /** For routes that need the database. Null for an error that is no outage, which is logged. */
  outageReason?: (error: unknown) => string | null;
  send?: (c: Context, error: HttpError) => Response;
}

export function handleErrors(log: Logger, { outageReason, send = sendError }: Options = {}): ErrorHandler {
  return function handleError(error, c) {
    if (error instanceof HttpError) return send(c, error);
    // A copy, because several requests may wait for the page.
    if (error instanceof HTTPException && error.res) return error.res.clone();
    const reason = outageReason?.(error) ?? null;
    const line = { err: error, method: c.req.method, path: loggedPath(c) };
    if (reason === null) log.error(line, "Request failed");
    else c.set("reason", reason);
    return send(c, outageReason ? outageError(c) : internalError);
  };
}
