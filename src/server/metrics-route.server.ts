import { timingSafeEqual } from "node:crypto";
import { getConnInfo } from "@hono/node-server/conninfo";
import { type Context, Hono } from "hono";
import { HttpError } from "../http/requests/errors.server.ts";
import { sha256 } from "../lib/hash.server.ts";
import type { Metrics } from "./metrics.server.ts";

/** @param token null allows only requests from this machine that no proxy forwarded */
export function metricsRoute(read: Metrics["read"], token: string | null): Hono {
  const app = new Hono();
  const expected = token === null ? null : sha256(token);
  app.get("/metrics", async (c) => {
    const allowed = expected ? timingSafeEqual(sha256(tokenOf(c)), expected) : isDirectlyLocal(c);
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

const proxyHeaders = ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"];

/** By the connection: clients choose URL and Host freely. */
function isDirectlyLocal(c: Context): boolean {
  const { address = "" } = getConnInfo(c).remote;
  const isDirect = !proxyHeaders.some((name) => c.req.header(name) !== undefined);
  return /^(::ffff:)?127\.|^::1$/.test(address) && isDirect;
}

function tokenOf(c: Context): string {
  return /^Bearer +(.+)$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
}
