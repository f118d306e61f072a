import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HttpError } from "./errors.server.ts";

/** Refuses bodies of more bytes than these: 413 `request_too_large`. */
export function limitBody(bytes: number): MiddlewareHandler {
  const limitWhatComes = bodyLimit({ maxSize: bytes, onError: refuse });

  function refuse(): never {
    throw new HttpError(413, "request_too_large", `The body must not be larger than ${bytes} bytes.`);
  }

  return async function checkBody(c, next) {
    const length = c.req.header("Content-Length");
    // One that says that it is too large is not even opened: only then does the server read past it, and the connection goes on.
    if (Number(length ?? 0) > bytes) refuse();
    // Node lets no more come than was said. To look at it here would have it read as a stream, which costs several times as much.
    if (length !== undefined && c.req.header("Transfer-Encoding") === undefined) return next();
    return limitWhatComes(c, next);
  };
}
