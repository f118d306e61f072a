import { once } from "node:events";
import type { Server } from "node:http";

/**
 * Port 0: any free port. Only clients close idle connections. Otherwise a request could be sent while the server
 * closes its connection.
 */
export async function listenOnLoopback(server: Server, port: number): Promise<string> {
  server.keepAliveTimeout = 0;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The fake server listens on no port");
  return `http://127.0.0.1:${address.port}`;
}

/** Stops at once and cuts off requests in flight. */
export async function closeAtOnce(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
