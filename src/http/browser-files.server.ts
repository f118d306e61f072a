import { readdirSync } from "node:fs";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono, type MiddlewareHandler } from "hono";
import { markRepeatable } from "./shortcut.server.ts";

/**
 * Built files: those under /assets have their content's hash in the name and never change. What there is, is looked up once, so that
 * nothing else that is asked for is looked for on the disk.
 */
export function browserFiles(root: string): Hono {
  const send = serveStatic({
    root,
    precompressed: true,
    onFound: (_path, c) => {
      const forever = c.req.path.startsWith("/assets/");
      c.header("Cache-Control", forever ? "public, max-age=31536000, immutable" : "public, max-age=3600");
    },
  });
  const app = new Hono();
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    app.get(entry.isDirectory() ? `/${entry.name}/*` : `/${entry.name}`, keepInFront, send);
  }
  return app;
}

/** Opening and reading a file takes several times as long as sending it, and every new visitor needs the same few. */
const keepInFront: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.req.method !== "GET" || c.res.status !== 200) return;
  const body = new Uint8Array(await c.res.arrayBuffer());
  const headers = { ...c.get("always"), ...Object.fromEntries(c.res.headers), "content-length": String(body.length) };
  c.set("count", async () => 0); // nobody is refused a file
  markRepeatable(c, { status: 200, headers, body: [body], isCurrent: () => true });
  c.res = undefined; // else the headers of both would be put together
  c.res = new Response(body, { headers });
  c.set("complete", c.res);
};
