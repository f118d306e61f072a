import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HttpError } from "./errors.server.ts";

/** What a form or a token needs several times over. */
const MAX_BODY_BYTES = 8_192;

/** Refuses larger bodies with 413 `request_too_large`. */
export function limitBody(bytes = MAX_BODY_BYTES): MiddlewareHandler {
  const limitStream = bodyLimit({ maxSize: bytes, onError: refuse });

  function refuse(): never {
    throw new HttpError(413, "request_too_large", `The body must not be larger than ${bytes} bytes.`);
  }

  return async function checkBody(c, next) {
    const length = c.req.header("Content-Length");
    // A body with too large a Content-Length is not opened: only then does Node skip it and keep the
    // connection.
    if (Number(length ?? 0) > bytes) refuse();
    // Node reads no more than Content-Length. Counting here would turn the body into a stream, at several
    // times the cost.
    if (length !== undefined && c.req.header("Transfer-Encoding") === undefined) return next();
    return limitStream(c, next);
  };
}
