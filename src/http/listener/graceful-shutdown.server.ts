import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** In ms. Busy proxies and pages send their next request sooner. */
const IDLE_CHECK_INTERVAL = 250;

/**
 * Tracks connections, and returns the function that drains them. It refuses new ones at once, so that proxies
 * try another server. For `timeout` ms, requests on open connections still get a response, with `Connection:
 * close`; idle ones are closed.
 */
export function prepareDrain(server: Server): (timeout: number) => Promise<void> {
  /** By connection: V8 links a set's outgrown hash tables, so that one set of all responses leaks. */
  const connections = new Map<Socket, ServerResponse[]>();

  server.on("connection", (socket) => {
    connections.set(socket, []);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const inFlight = connections.get(socket) ?? [];
    inFlight.push(response);
    response.once("close", () => inFlight.splice(inFlight.indexOf(response), 1));
    if (!server.listening) announceClose(response);
  });

  /** Node does not count a connection as idle that never sent anything. */
  function closeIdle(): void {
    server.closeIdleConnections();
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  return async function drain(timeout) {
    // That of an http server closes idle connections at once, even if a request is about to arrive.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    for (const response of [...connections.values()].flat()) announceClose(response);
    // Immediates run after the poll phase, which has read the requests that have arrived.
    const idleCheck = setInterval(() => setImmediate(closeIdle), IDLE_CHECK_INTERVAL);
    const forced = setTimeout(() => server.closeAllConnections(), timeout);
    await closed;
    clearInterval(idleCheck);
    clearTimeout(forced);
  };
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
