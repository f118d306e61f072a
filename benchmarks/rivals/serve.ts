import { createServer, type RequestListener, type ServerResponse } from "node:http";
import process from "node:process";
import pg from "pg";
import type { RecordedResponse } from "./start.ts";

/** Connections to the database that the command line names. */
export const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });

/** Serves JSON texts. */
export function serveJson(find: (url: URL) => Promise<string>): void {
  listen(async (request, response) => {
    const json = await find(new URL(request.url ?? "/", "http://localhost"));
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(json),
    });
    response.end(json);
  });
}

/** Serves in turn the responses that the parent process last sent, for any request. */
export function serveInTurn(
  prepare: (recorded: RecordedResponse) => (response: ServerResponse) => void,
): void {
  let prepared: ReturnType<typeof prepare>[] = [];
  let sent = 0;
  process.on("message", (recorded: RecordedResponse[]) => {
    prepared = recorded.map(prepare);
    process.send?.("ready");
  });
  listen((_request, response) => prepared[sent++ % prepared.length]?.(response));
}

/** Tells the parent process where the server listens. */
function listen(handle: RequestListener): void {
  // Between two rounds connections are unused for longer than Node's five seconds.
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
  endWithParent();
}

export function endWithParent(): void {
  process.on("disconnect", () => process.exit());
}
