import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests that may come on a connection before the first of them is answered. Browsers send one, proxies too. */
const MOST_AT_ONCE = 32;

/**
 * Keeps a server's connections to a number. One too many makes room by ending the one on which, for the longest time, no request
 * has come and no answer has gone: somebody who holds many connections loses those, not the next visitor theirs. Whoever
 * sends request after request without waiting for answers is cut off.
 */
export function keepRoom(server: Server, most: number): void {
  /** How many requests are unanswered on each; those longest quiet first. */
  const open = new Map<Socket, number>();

  function stirs(socket: Socket, change: number): void {
    const unanswered = (open.get(socket) ?? 0) + change;
    if (!open.delete(socket)) return;
    open.set(socket, unanswered);
    if (unanswered > MOST_AT_ONCE) end(socket);
  }

  function end(socket: Socket): void {
    open.delete(socket);
    socket.destroy();
  }

  server.on("connection", (socket) => {
    const [quietest] = open.keys();
    if (quietest && open.size >= most) end(quietest);
    open.set(socket, 0);
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    stirs(socket, 1);
    response.once("close", () => stirs(socket, -1));
  });
}
