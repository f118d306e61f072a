import { readdirSync } from "node:fs";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";

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
    app.get(entry.isDirectory() ? `/${entry.name}/*` : `/${entry.name}`, send);
  }
  return app;
}
