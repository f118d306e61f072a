import { createHash, timingSafeEqual } from "node:crypto";
import { getConnInfo } from "@hono/node-server/conninfo";
import { type Context, Hono } from "hono";
import { isLoopback } from "../../lib/loopback.server.ts";
import { HttpError } from "../requests/errors.server.ts";

interface MetricsRouteOptions {
  /** Everything there is to tell, in Prometheus' text format. */
  read: () => Promise<{ contentType: string; text: string }>;
  /** Who may ask; null: whoever is on this machine. */
  token: string | null;
}

/** `GET /metrics`, for whoever has the token; where there is none, for who asks from this machine and not through a proxy on it. */
export function metricsRoute({ read, token }: MetricsRouteOptions): Hono {
  const app = new Hono();
  const expected = token === null ? null : digest(token);
  app.get("/metrics", async (c) => {
    const allowed = expected ? timingSafeEqual(digest(tokenOf(c)), expected) : isAtHome(c);
    if (!allowed) {
      c.header("WWW-Authenticate", "Bearer");
      throw new HttpError(
        401,
        "metrics_token_required",
        "Metrics need the header Authorization: Bearer METRICS_TOKEN.",
      );
    }
    const { contentType, text } = await read();
    return c.body(text, 200, { "Content-Type": contentType, "Cache-Control": "no-store" });
  });
  return app;
}

/** What proxies say that they have passed a request on. */
const passedOn = ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"];

/** A page of somebody else's site, whose name they made lead here, asks from this machine too: in its own name. */
function isAtHome(c: Context): boolean {
  const { address = "" } = getConnInfo(c).remote;
  const isDirect = !passedOn.some((name) => c.req.header(name) !== undefined);
  return /^(::ffff:)?127\.|^::1$/.test(address) && isDirect && isLoopback(c.req.url);
}

function tokenOf(c: Context): string {
  return /^Bearer +(.+)$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
