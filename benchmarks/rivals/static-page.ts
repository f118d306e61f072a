import { createServer } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress } from "node:zlib";
import { freePort } from "../../dev/harness/free-port.ts";
import { type RecordedResponse, record } from "./start.ts";

const scripts = /<script\b.*?<\/script>|<link rel="(module)?preload"[^>]*>/gs;

/**
 * Serves the product's first page without its scripts, with the same styles and pictures, from memory.
 * @returns its origin
 */
export async function serveStaticPage(origin: string, running: AsyncDisposableStack): Promise<string> {
  const ask = (path: string) => record(origin + path, { "accept-encoding": "br" });
  const html = (await promisify(brotliDecompress)((await ask("/")).body)).toString();
  const page: RecordedResponse = {
    headers: ["Content-Type", "text/html; charset=utf-8", "Content-Encoding", "br"],
    body: await promisify(brotliCompress)(html.replaceAll(scripts, "")),
  };
  const files = new Map([["/", Promise.resolve(page)]]);
  const server = createServer(async ({ url = "/" }, response) => {
    const file = files.get(url) ?? ask(url);
    files.set(url, file);
    const { headers, body } = await file;
    response.writeHead(200, headers).end(body);
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  running.defer(() => void server.close());
  return `http://127.0.0.1:${port}`;
}
