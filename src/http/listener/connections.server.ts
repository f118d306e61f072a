import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** Pipelined requests on one connection. Browsers and proxies send one at a time. */
const MAX_PIPELINED = 32;

/** A share of all connections. If more are idle, only idle ones are evicted. */
const IDLE_SHARE = 1 / 4;

/** In ms. Busy proxies and pages send their next request earlier. */
const IDLE_CHECK_INTERVAL = 250;

/**
 * Evicts the least active connection for a new one. Node's `maxConnections` would drop the new one, so that one
 * client with many connections could keep out all others.
 *
 * Returns the function that drains connections. New ones are refused at once, so that proxies try another server.
 * For `timeout` ms, requests on open connections still get a response, with `Connection: close`.
 */
export function limitConnections(server: Server, max: number): (timeout: number) => Promise<void> {
  /**
   * Responses in flight by connection, least recently active first. One set of all responses would leak, because
   * V8 links a set's outgrown hash tables.
   */
  const connections = new Map<Socket, ServerResponse[]>();

  function markActive(socket: Socket, inFlight: ServerResponse[]): void {
    if (!connections.delete(socket)) return;
    connections.set(socket, inFlight);
    if (inFlight.length > MAX_PIPELINED) close(socket);
  }

  function evict(): void {
    let idle = 0;
    let oldestIdle: Socket | undefined;
    let [oldest] = connections.keys();
    for (const [socket, inFlight] of connections) {
      if (inFlight.length > 0) continue;
      oldestIdle ??= socket;
      idle++;
    }
    if (idle > max * IDLE_SHARE) oldest = oldestIdle;
    if (oldest) close(oldest);
  }

  function close(socket: Socket): void {
    connections.delete(socket);
    socket.destroy();
  }

  server.on("connection", (socket) => {
    if (connections.size >= max) evict();
    connections.set(socket, []);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const inFlight = connections.get(socket) ?? [];
    inFlight.push(response);
    markActive(socket, inFlight);
    response.once("close", () => {
      inFlight.splice(inFlight.indexOf(response), 1);
      markActive(socket, inFlight);
    });
    if (!server.listening) closeAfter(response);
  });

  /** Node does not count a connection as idle before its first request. */
  function closeIdle(): void {
    server.closeIdleConnections();
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  return async function drain(timeout) {
    // `close` of an http server would close idle connections at once, even if a request is about to arrive.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    for (const response of [...connections.values()].flat()) closeAfter(response);
    // Immediates run after the poll phase, in which arrived requests are read.
    const idleCheck = setInterval(() => setImmediate(closeIdle), IDLE_CHECK_INTERVAL);
    const forced = setTimeout(() => server.closeAllConnections(), timeout);
    await closed;
    clearInterval(idleCheck);
    clearTimeout(forced);
  };
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
