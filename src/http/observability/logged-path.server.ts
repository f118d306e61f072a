import type { Context, MiddlewareHandler } from "hono";

/** For routes whose path has a secret: logs have this text in its place. */
export function logPathAs(text: string): MiddlewareHandler {
  return async function replaceLoggedPath(c, next) {
    c.set("loggedPath", text);
    await next();
  };
}

export function loggedPath(c: Context): string {
  return c.get("loggedPath") ?? c.req.path;
}
