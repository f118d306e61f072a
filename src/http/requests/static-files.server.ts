import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Handler, Hono } from "hono";
import { getMimeType } from "hono/utils/mime";
import { createConstantResponse, type Encoding } from "../cache/response-cache.server.ts";
import { sendCached } from "../cache/send-cached.server.ts";

/** The build writes compressed copies beside the files. */
const copies = { ".br": "br", ".gz": "gzip" } as const satisfies Record<string, Encoding>;

export const IMMUTABLE = "public, max-age=31536000, immutable";

/** From memory: a thousand requests for files on disk would open a thousand files. */
export function staticFiles(root: string): Hono {
  const names = globSync("**/*.*", { cwd: root, exclude: ["**/*.{br,gz}"] });
  const files = new Map(names.map((name) => [`/${name}`, readFile(join(root, name))]));
  const sendFile: Handler = (c, next) => {
    const file = files.get(c.req.path);
    if (!file) return next();
    return sendCached(c, file, {
      fileCaching: c.req.path.startsWith("/assets/") ? IMMUTABLE : "public, max-age=3600",
    });
  };
  const app = new Hono();
  app.get("/assets/*", sendFile);
  for (const path of files.keys()) if (!path.startsWith("/assets/")) app.get(path, sendFile);
  return app;
}

function readFile(path: string) {
  const text = readFileSync(path);
  const type = getMimeType(path) ?? "application/octet-stream";
  const written = Object.entries(copies).filter(([suffix]) => existsSync(path + suffix));
  const compressed = written.map(
    ([suffix, encoding]) => [encoding, Promise.resolve(readFileSync(path + suffix))] as const,
  );
  return createConstantResponse(type, text, compressed);
}
