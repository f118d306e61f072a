import type { Socket } from "node:net";

/** How many pieces of work are under way for connections. */
export interface Count {
  value(): number;
  /** One more, until the returned function is called or the connection ends: of what came after an answer that was never read, nothing else tells the end. */
  add(socket: Socket): () => void;
}

export function createCount(): Count {
  const ofConnections = new WeakMap<Socket, { underWay: number }>();
  let total = 0;

  function open(socket: Socket): { underWay: number } {
    const connection = { underWay: 0 };
    ofConnections.set(socket, connection);
    socket.once("close", () => {
      total -= connection.underWay;
      connection.underWay = 0;
    });
    return connection;
  }

  return {
    value: () => total,
    add(socket) {
      const connection = ofConnections.get(socket) ?? open(socket);
      connection.underWay++;
      total++;
      return function done() {
        if (connection.underWay === 0) return;
        connection.underWay--;
        total--;
      };
    },
  };
}
