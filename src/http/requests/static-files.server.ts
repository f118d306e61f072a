import { readdirSync } from "node:fs";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";

/**
 * Serves the built files. Those under /assets have a content hash in their names and never change. The folder
 * is listed once, so that requests for other paths do not reach the disk.
 */
export function staticFiles(root: string): Hono {
  const send = serveStatic({
    root,
    precompressed: true,
    onFound: (_path, c) => {
      const isImmutable = c.req.path.startsWith("/assets/");
      c.header("Cache-Control", isImmutable ? "public, max-age=31536000, immutable" : "public, max-age=3600");
    },
  });
  const app = new Hono();
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    app.get(entry.isDirectory() ? `/${entry.name}/*` : `/${entry.name}`, send);
  }
  return app;
}
