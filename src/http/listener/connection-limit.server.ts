import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests on one connection before the first is answered. Browsers and proxies send one. */
const MAX_PIPELINED = 32;

/** Of all connections, those without a request in flight that may stay when others have to go. */
const IDLE_SHARE = 1 / 4;

/**
 * Evicts a connection for each one too many: Node's `maxConnections` would drop the new one, and whoever hoards connections would
 * keep everybody out. The one goes that was quiet longest, first of those without a request in flight; when these are few,
 * whoever has just come would be the next, so that it is one of all. Ends a connection whose client does not wait for answers.
 */
export function limitConnections(server: Server, max: number): void {
  /** How many requests are unanswered on each, the one that was quiet longest first. */
  const connections = new Map<Socket, number>();

  function update(socket: Socket, change: number): void {
    const before = connections.get(socket);
    if (before === undefined) return;
    connections.delete(socket);
    connections.set(socket, before + change);
    if (before + change > MAX_PIPELINED) end(socket);
  }

  function evict(): void {
    let idle = 0;
    let quietestIdle: Socket | undefined;
    let [quietest] = connections.keys();
    for (const [socket, unanswered] of connections) {
      if (unanswered > 0) continue;
      quietestIdle ??= socket;
      idle++;
    }
    if (idle > max * IDLE_SHARE) quietest = quietestIdle;
    if (quietest) end(quietest);
  }

  function end(socket: Socket): void {
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
