import type { Context, MiddlewareHandler } from "hono";
import { HttpError } from "./errors.server.ts";

export function allowMethods(...methods: string[]): MiddlewareHandler {
  const allowed = methods.join(", ");
  return async function checkMethod(c, next) {
    if (!methods.includes(c.req.method)) {
      c.header("Allow", allowed);
      throw new HttpError(405, "method_not_allowed", `The methods that make sense here: ${allowed}.`);
    }
    await next();
  };
}

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

export function isForm(c: Context): boolean {
  const type = c.req.header("Content-Type") ?? "";
  return type.startsWith("application/x-www-form-urlencoded") || type.startsWith("multipart/form-data");
}
