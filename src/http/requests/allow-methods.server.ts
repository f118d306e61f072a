import type { MiddlewareHandler } from "hono";
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
