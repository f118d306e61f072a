import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { HttpError } from "./errors.server.ts";

/** Lets only requests pass that carry the public client key in the header `apikey`. */
export function requireClientKey(publicClientKey: string): MiddlewareHandler {
  const expected = digest(publicClientKey);
  return async function checkClientKey(c, next) {
    if (!timingSafeEqual(digest(c.req.header("apikey") ?? ""), expected)) {
      throw new HttpError(401, "invalid_client_key", "The header apikey must carry this site's public client key.");
    }
    await next();
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
