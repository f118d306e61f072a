import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Pipelined requests on one connection. Browsers and proxies send one at a time. */
const MAX_PIPELINED = 32;

/** Of all connections. If more are idle, only idle ones are evicted. */
const IDLE_SHARE = 1 / 4;

/** Node's `maxConnections` would drop the new one: a client that hoards would keep everybody out. */
export function limitConnections(server: Server, max: number): void {
  /** Requests in flight by connection, least recently active first. */
  const connections = new Map<Socket, number>();

  function update(socket: Socket, change: number): void {
    const before = connections.get(socket);
    if (before === undefined) return;
    connections.delete(socket);
    connections.set(socket, before + change);
    if (before + change > MAX_PIPELINED) close(socket);
  }

  function evict(): void {
    let idle = 0;
    let oldestIdle: Socket | undefined;
    let [oldest] = connections.keys();
    for (const [socket, inFlight] of connections) {
      if (inFlight > 0) continue;
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
    connections.set(socket, 0);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    update(socket, 1);
    response.once("close", () => update(socket, -1));
  });
}
