import type { IncomingMessage } from "node:http";

export interface InFlightLimit {
  /**
   * Admits a request, which holds its place until it leaves or its connection closes. False if there is none.
   */
  enter(request: IncomingMessage): boolean;
  leave(request: IncomingMessage): void;
}

interface InFlightLimitOptions {
  max: number;
  /** The networks of a request's client, the wider one last. */
  networksOf?: (request: IncomingMessage) => string[];
  onEvicted?: () => void;
}

/** The share of the places that a client's network may hold, and that its wider network may hold. */
const SHARES = [1 / 4, 1 / 2];

/**
 * Limits the requests in flight. When all places are taken, the oldest request whose body is still arriving
 * is evicted, so that slow uploads keep nobody out, however many clients send them.
 */
export function createInFlightLimit({
  max,
  networksOf = () => [],
  onEvicted = () => {},
}: InFlightLimitOptions): InFlightLimit {
  /** Oldest first. */
  const inFlight = new Map<IncomingMessage, string[]>();

  function makeRoom(limit: number, network?: string): boolean {
    if (inFlight.size < limit) return true;
    let count = 0;
    let oldestUpload: IncomingMessage | undefined;
    for (const [request, networks] of inFlight) {
      // A handler may still be working for a closed connection.
      if (request.socket.destroyed || (network !== undefined && !networks.includes(network))) continue;
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
    enter(request) {
      const networks = networksOf(request);
      const hasShare = networks.every((network, index) => makeRoom(max * (SHARES[index] ?? 1), network));
      if (!hasShare || !makeRoom(max)) return false;
      inFlight.set(request, networks);
      return true;
    },
    leave: (request) => void inFlight.delete(request),
  };
}
