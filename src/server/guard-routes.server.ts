import type { Context, Hono, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { rateLimitError } from "../auth/api/auth-api.server.ts";
import { vary } from "../http/cache/shared-caching.server.ts";
import { type CountRequest, limitRate, type Refuse } from "../http/clients/rate-limit.server.ts";
import { allowMethods, isForm } from "../http/requests/required.server.ts";
import { tooManyReports } from "../moderation/api/reports-api.server.ts";
import type { rateLimits } from "./rate-limits.server.ts";
import { createBusyPage } from "./refusals.server.ts";
import { type Form, formOf, type Route, routes } from "./routes.server.ts";

export type Counters = Record<keyof typeof rateLimits, CountRequest>;

export const refusePage: Refuse = (wait) => createBusyPage(429, wait);

const refusals: Partial<Record<Form, Refuse>> = {
  page: refusePage,
  link: refusePage,
  auth: rateLimitError,
  report: tooManyReports,
};

const sharing = { allowMethods: ["GET", "HEAD"], exposeHeaders: ["ETag", "Retry-After"], maxAge: 86_400 };

/** What each row of `routes` asks of a request, before all handlers: their order does not decide who is limited. */
export function guardRoutes(app: Hono, counters: Counters, requireKey: MiddlewareHandler): void {
  const requireKeyUnlessForm: MiddlewareHandler = (c, next) => (isForm(c) ? next() : requireKey(c, next));

  function guardsOf({ form, limit, key, methods, otherSites }: Route): MiddlewareHandler[] {
    return [
      rememberForm(form),
      ...(otherSites === "read" ? [allowAllOrigins, cors(sharing)] : []),
      ...(limit && form !== "redirect" ? [limitRate(counters[limit], refusals[form])] : []),
      ...(key ? [vary("apikey"), key === true ? requireKey : requireKeyUnlessForm] : []),
      allowMethods(...methods),
    ];
  }

  for (const route of routes) app.use(route.path, ...guardsOf(route));
}

export const formOfRequest = (c: Context): Form => c.get("form") ?? formOf(c.req.path);

function rememberForm(form: Form): MiddlewareHandler {
  return async function setForm(c, next) {
    c.set("form", form);
    await next();
  };
}

const allowAllOrigins: MiddlewareHandler = async function allowAllOrigins(c, next) {
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  return next();
};
