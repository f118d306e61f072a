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
    // One that says that it is too large is not even opened: only then does the server read past it, and the connection goes on.
    if (Number(c.req.header("Content-Length") ?? 0) > bytes) refuse();
    return limitWhatComes(c, next);
  };
}
