import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { pipeline } from "node:stream";
import { embeddedPaths } from "./paths.server.ts";

/** PostgreSQL's own socket must not fail, but some folders take none, and some have too long names. */
export async function openSocket(folder: string, port: number): Promise<() => void> {
  const { socket } = embeddedPaths(folder);
  const server = createServer((client) => {
    pipeline(client, connect(port, "127.0.0.1"), client, () => {});
  });
  await rm(socket, { force: true }); // of a killed process
  server.unref().on("error", () => {});
  await once(server.listen(socket), "listening").catch(() => {});
  return () => server.close();
}
