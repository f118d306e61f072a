import type { IncomingMessage } from "node:http";

const SHARE = 1 / 4;

const EVERYONE = "everyone";

/** When all places are taken, evicts the oldest upload, so that slow uploads do not block other requests. */
export function createInFlightLimit(max: number, onEvicted: () => void) {
  /** By network, so that a refusal reads only the client's own requests. Oldest first. */
  const inFlight = new Map<string, Set<IncomingMessage>>();

  function makeRoom(network: string, limit: number): boolean {
    const requests = inFlight.get(network) ?? new Set();
    if (requests.size < limit) return true;
    let count = 0;
    let oldestUpload: IncomingMessage | undefined;
    for (const request of requests) {
      // A handler may still be working for a closed connection.
      if (request.socket.destroyed) continue;
      count++;
      if (!request.complete) oldestUpload ??= request;
    }
    if (count < limit) return true;
    if (!oldestUpload) return false;
    oldestUpload.socket.destroy();
    onEvicted();
    return true;
  }

  return {
    /** False if there is no place. The request keeps its place until `leave` or the end of its connection. */
    enter(request: IncomingMessage, networks: readonly string[]): boolean {
      if (!networks.every((network) => makeRoom(network, max * SHARE)) || !makeRoom(EVERYONE, max))
        return false;
      for (const network of [...networks, EVERYONE]) {
        const requests = inFlight.get(network) ?? new Set();
        inFlight.set(network, requests.add(request));
      }
      return true;
    },
    leave(request: IncomingMessage, networks: readonly string[]): void {
      for (const network of [...networks, EVERYONE]) {
        const requests = inFlight.get(network);
        requests?.delete(request);
        if (requests?.size === 0) inFlight.delete(network);
      }
    },
  };
}
