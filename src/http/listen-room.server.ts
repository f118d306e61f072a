import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests that may come on a connection before the first of them is answered. Browsers send one, proxies too. */
const MOST_AT_ONCE = 32;

/** This part of all connections may be such as never sent a request, and this part such as wait for the next one, before those make room. */
const QUIET_PART = 1 / 4;

type CrowdName = "silent" | "idle" | "busy";

interface Connection {
  socket: Socket;
  crowd: CrowdName;
  unanswered: number;
  /** When a request last came or an answer went, as a number of such moments. */
  stirredAt: number;
}

interface Crowd {
  size: number;
  quietest: Connection | null;
}

/**
 * Keeps a server's connections to a number. One too many makes room by ending one of those that never sent a request or, when these
 * are few, one that is kept alive: whoever holds many of them ends nobody's request. Only when most have a request under way is
 * it one of these. It is always the one on which, for the longest time, no request has come and no answer has gone: somebody who holds
 * many connections loses those, not the next visitor theirs. Whoever sends request after request without waiting for answers is cut off.
 */
export function keepRoom(server: Server, most: number): void {
  /**
   * In no order: where there is one too many, all are looked through, 2,000 in 10 µs. In a map for each crowd, those longest quiet first,
   * each request took four entries, and V8 gives a full map a new table, which is old at once if the map is: 160 bytes a request that stayed
   * until all memory was looked at.
   */
  const connections = new Map<Socket, Connection>();
  let moments = 0;

  function stirs(socket: Socket, change: number): void {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.unanswered += change;
    connection.crowd = connection.unanswered > 0 ? "busy" : "idle";
    connection.stirredAt = moments++;
    if (connection.unanswered > MOST_AT_ONCE) end(connection);
  }

  function findCrowds(): Record<CrowdName, Crowd> {
    const crowds = { silent: createCrowd(), idle: createCrowd(), busy: createCrowd() };
    for (const connection of connections.values()) {
      const crowd = crowds[connection.crowd];
      crowd.size++;
      if (!crowd.quietest || connection.stirredAt < crowd.quietest.stirredAt) crowd.quietest = connection;
    }
    return crowds;
  }

  function makeRoom(): void {
    const { silent, idle, busy } = findCrowds();
    const { quietest } = [silent, idle].find(({ size }) => size > most * QUIET_PART) ?? busy;
    if (quietest) end(quietest);
  }

  function end({ socket }: Connection): void {
    connections.delete(socket);
    socket.destroy();
  }

  server.on("connection", (socket) => {
    if (connections.size >= most) makeRoom();
    connections.set(socket, { socket, crowd: "silent", unanswered: 0, stirredAt: moments++ });
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    stirs(socket, 1);
    response.once("close", () => stirs(socket, -1));
  });
}

function createCrowd(): Crowd {
  return { size: 0, quietest: null };
}
