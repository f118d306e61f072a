import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HttpError } from "./errors.server.ts";

const MAX_BODY_BYTES = 8_192;

export function limitBody(bytes = MAX_BODY_BYTES): MiddlewareHandler {
  const limitStream = bodyLimit({ maxSize: bytes, onError: refuse });

  function refuse(): never {
    throw new HttpError(413, "request_too_large", `The body must not be larger than ${bytes} bytes.`);
  }

  return async function checkBody(c, next) {
    const length = c.req.header("Content-Length");
    // Before the body is opened: only then does Node skip it and keep the connection.
    if (Number(length ?? 0) > bytes) refuse();
    // Node reads at most Content-Length. Counting in a stream would cost several times as much.
    if (length !== undefined && c.req.header("Transfer-Encoding") === undefined) return next();
    return limitStream(c, next);
  };
}
