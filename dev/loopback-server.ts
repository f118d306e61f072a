import { once } from "node:events";
import type { Server } from "node:http";

/**
 * Listens for this machine alone (port 0: any free one). Resolves with the address; rejects when the port cannot be had.
 * Idle connections are the client's to close: were both to do so after some seconds, a request after a pause of this process could go
 * out on a connection that is closed at that moment.
 */
export async function listenOnLoopback(server: Server, port: number): Promise<string> {
  server.keepAliveTimeout = 0;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The stand-in listens on no port");
  return `http://127.0.0.1:${address.port}`;
}

/** Stops at once, whatever is being answered. */
export async function closeAtOnce(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
