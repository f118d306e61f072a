import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Logger } from "pino";
import { wasRefused } from "../admission/busy-page.server.ts";
import type { ObserveRequest } from "./request-metrics.server.ts";

/** What is told of an answered request: never its query, nor whose it is. */
export interface Answered {
  method: string;
  path: string;
  /** The pattern of its route. */
  route: string;
  status: number;
  /** Whether it was refused because there was too much to do: those are counted by themselves, and are no failures. */
  refused: boolean;
  /** Why it failed, where `handleErrors` says that that was foreseen. */
  reason?: string;
}

/** Tells of an answered request, and how long it took, in ms. */
export type NoteRequest = (answered: Answered, ms: number) => void;

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Observes requests, each with labels from a bounded set, and logs them: failures stand out, the rest is for debugging. */
export function createNote(observe: ObserveRequest, log: Logger): NoteRequest {
  return function noteRequest({ method, path, route, status, refused, reason }, ms) {
    if (!refused) observe({ method: methods.has(method) ? method : "other", route, status }, ms / 1000);
    const level = status >= 500 && !refused ? "warn" : "debug";
    log[level]({ method, path, status, ms: Math.round(ms), reason }, "Request answered");
  };
}

/** Notes every request. */
export function noteRequests(note: NoteRequest): MiddlewareHandler {
  return async function noteAnswered(c, next) {
    const began = performance.now();
    await next();
    note(answeredIn(c), performance.now() - began);
  };
}

/** A request of which the answer is known. */
export function answeredIn(c: Context): Answered {
  const { method, path } = c.req;
  return { method, path, route: routeOf(c), status: c.res.status, refused: wasRefused(c), reason: c.get("reason") };
}

/** The pattern that names a request's address exactly; else that of the part of the site which it asks for. */
function routeOf(c: Context): string {
  let part = "/*";
  for (const { path } of matchedRoutes(c)) {
    if (!path.endsWith("*")) return path;
    if (path.length > part.length) part = path;
  }
  return part;
}
