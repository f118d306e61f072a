import type { Context, MiddlewareHandler } from "hono";

/** Logs have this text in place of a path with a secret. */
export function logPathAs(text: string): MiddlewareHandler {
  return async function replaceLoggedPath(c, next) {
    c.set("loggedPath", text);
    await next();
  };
}

export function loggedPath(c: Context): string {
  return c.get("loggedPath") ?? c.req.path;
}
