import { Hono } from "hono";
import { createConstantResponse } from "../http/cache/response-cache.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import worker from "./worker.mjs?raw";
import workerOff from "./worker-off.mjs?raw";

/** The worker may only fetch from this site. */
const policy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

/** If saving is switched off, browsers update their worker to one that removes itself and the saved list. */
export function workerRoute(isOn: boolean): Hono {
  const text = Buffer.from(isOn ? worker : workerOff);
  const script = createConstantResponse("text/javascript; charset=utf-8", text);
  const app = new Hono();
  app.get("/worker.js", (c) => {
    c.header("Content-Security-Policy", policy);
    return sendCached(c, script);
  });
  return app;
}
