import type { Server, ServerResponse } from "node:http";
import process from "node:process";

/** Listens, tells the process that started this one where, and ends with it. */
export function serve(server: Server): void {
  server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
  process.on("disconnect", () => process.exit());
}

export function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}

export function sendFailure(response: ServerResponse, error: unknown): void {
  console.error(error);
  response.writeHead(500, { "Content-Length": 0 }).end();
}

/** The database that the process was told of. */
export function databaseUrl(): string {
  const [, , url] = process.argv;
  if (!url) throw new Error("No database was named");
  return url;
}
