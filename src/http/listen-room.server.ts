import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests that may come on a connection before the first of them is answered. Browsers send one, proxies too. */
const MOST_AT_ONCE = 32;

/** This part of all connections may be such as never sent a request, and this part such as wait for the next one, before those make room. */
const QUIET_PART = 1 / 4;

/**
 * Keeps a server's connections to a number. One too many makes room by ending one of those that never sent a request or, when these
 * are few, one that is kept alive: whoever holds many of them ends nobody's request. Only when most have a request under way is
 * it one of these. It is always the one on which, for the longest time, no request has come and no answer has gone: somebody who holds
 * many connections loses those, not the next visitor theirs. Whoever sends request after request without waiting for answers is cut off.
 */
export function keepRoom(server: Server, most: number): void {
  /** How many requests are unanswered on each; in every map those longest quiet first. */
  const silent = new Map<Socket, number>();
  const idle = new Map<Socket, number>();
  const busy = new Map<Socket, number>();

  const leave = (socket: Socket) => silent.delete(socket) || idle.delete(socket) || busy.delete(socket);

  function stirs(socket: Socket, change: number): void {
    const unanswered = (busy.get(socket) ?? 0) + change;
    if (!leave(socket)) return;
    if (unanswered > MOST_AT_ONCE) socket.destroy();
    else (unanswered > 0 ? busy : idle).set(socket, unanswered);
  }

  function makeRoom(): void {
    const crowd = [silent, idle].find(({ size }) => size > most * QUIET_PART) ?? busy;
    const [quietest] = crowd.keys();
    if (!quietest) return;
    leave(quietest);
    quietest.destroy();
  }

  server.on("connection", (socket) => {
    if (silent.size + idle.size + busy.size >= most) makeRoom();
    silent.set(socket, 0);
    socket.once("close", () => leave(socket));
  });
  server.on("request", ({ socket }, response) => {
    stirs(socket, 1);
    response.once("close", () => stirs(socket, -1));
  });
}
