import type { MiddlewareHandler } from "hono";
import { HttpError } from "./errors.server.ts";

/** For addresses that are only read: whoever sends something there is refused, before it is taken for a mistake in the pages and logged as one. */
export const onlyRead: MiddlewareHandler = async function onlyRead(c, next) {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    c.header("Allow", "GET, HEAD");
    throw new HttpError(405, "method_not_allowed", "Only GET makes sense here.");
  }
  await next();
};
