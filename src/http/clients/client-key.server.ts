import type { MiddlewareHandler } from "hono";
import { HttpError } from "../requests/errors.server.ts";

export function requireClientKey(publicClientKey: string): MiddlewareHandler {
  return async function checkClientKey(c, next) {
    if (c.req.header("apikey") !== publicClientKey) {
      throw new HttpError(
        401,
        "invalid_client_key",
        "The header apikey must carry this site's public client key.",
      );
    }
    await next();
  };
}
