import { createServer, type Server } from "node:http";
import process from "node:process";
import pg from "pg";

/** Connections to the database that the command line names. */
export const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });

/** Serves JSON texts. */
export function serveJson(find: (url: URL) => Promise<string>): void {
  const server = createServer(async (request, response) => {
    const json = await find(new URL(request.url ?? "/", "http://localhost"));
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(json),
    });
    response.end(json);
  });
  listen(server);
}

/** Tells the parent process where the server listens, and ends with the parent. */
export function listen(server: Server): void {
  server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
  process.on("disconnect", () => process.exit());
}
