import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { build, type Rolldown } from "vite";
import { root } from "../../../scripts/setup.mjs";
import { freePort } from "../../../tests/support/free-port.ts";
import type { Rows } from "./rows.ts";

/** An answer as it is sent. */
interface File {
  type: string;
  body: Buffer;
}

const compress = promisify(brotliCompress);

/**
 * Serves the page without server rendering, and what it asks for. Everything is compressed as well as brotli can and answered from
 * memory: no server could do better by it.
 */
export async function serveBaseline(rows: Rows, running: AsyncDisposableStack): Promise<string> {
  const files = await prepareFiles(rows);
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, {
      "Content-Type": file.type,
      "Content-Encoding": "br",
      "Content-Length": file.body.length,
    });
    response.end(file.body);
  });
  running.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${port}`;
}

async function prepareFiles({ shows, total, reviews }: Rows): Promise<Map<string, File>> {
  const chunks = await buildClient();
  const entry = chunks.find(({ isEntry }) => isEntry)?.fileName;
  const json = "application/json";
  const texts: [path: string, type: string, text: string][] = [
    ["/", "text/html; charset=utf-8", emptyDocument(`/${entry}`, "/site.css")],
    ["/site.css", "text/css", stylesheetOfProduct()],
    ["/favicon.svg", "image/svg+xml", readFileSync(join(root, "public/favicon.svg"), "utf8")],
    ["/shows", json, JSON.stringify({ shows, total })],
    ["/reviews", json, JSON.stringify(reviews)],
    ...chunks.map(({ fileName, code }): [string, string, string] => [`/${fileName}`, "text/javascript", code]),
  ];
  return new Map(
    await Promise.all(
      texts.map(async ([path, type, text]): Promise<[string, File]> => [path, { type, body: await compress(text) }]),
    ),
  );
}

/** The page's own components with the same libraries, in as many files. */
async function buildClient(): Promise<Rolldown.OutputChunk[]> {
  const built = await build({
    root,
    configFile: false,
    logLevel: "silent",
    publicDir: false,
    build: {
      write: false,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: join(import.meta.dirname, "client.tsx") },
    },
  });
  if (!("output" in built)) throw new Error("Vite built something else than one bundle");
  return built.output.filter((file) => file.type === "chunk");
}

function stylesheetOfProduct(): string {
  const [file] = globSync("build/client/assets/*.css", { cwd: root });
  if (!file) throw new Error("The product has no stylesheet");
  return readFileSync(join(root, file), "utf8");
}

function emptyDocument(script: string, style: string): string {
  return `<!DOCTYPE html><html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Front Row?</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><script type="module" src="${script}"></script><link rel="stylesheet" href="${style}"></head><body></body></html>`;
}
