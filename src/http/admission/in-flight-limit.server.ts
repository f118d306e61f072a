import type { IncomingMessage } from "node:http";

export interface InFlightLimit {
  /**
   * Admits a request, which holds its place until it leaves or its connection closes. False if there is none.
   * @param networks those of its client
   */
  enter(request: IncomingMessage, networks: readonly string[]): boolean;
  leave(request: IncomingMessage): void;
}

interface InFlightLimitOptions {
  max: number;
  onEvicted: () => void;
}

/** The share of the places that one network may hold. */
const SHARE = 1 / 4;

/** Stands for the requests of all networks. */
const EVERYONE = "everyone";

/**
 * Limits the requests in flight, in all and by client. When all places are taken, the oldest request whose
 * body is still arriving is evicted, so that slow uploads keep nobody out, however many clients send them.
 */
export function createInFlightLimit({ max, onEvicted }: InFlightLimitOptions): InFlightLimit {
  /**
   * By network, oldest first: a client that is refused again and again costs no look at the others' requests.
   */
  const inFlight = new Map<string, Set<IncomingMessage>>();
  const networksOf = new WeakMap<IncomingMessage, string[]>();

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

  function leaveNetwork(network: string, request: IncomingMessage): void {
    const requests = inFlight.get(network);
    requests?.delete(request);
    if (requests?.size === 0) inFlight.delete(network);
  }

  return {
    enter(request, networks) {
      if (!networks.every((network) => makeRoom(network, max * SHARE)) || !makeRoom(EVERYONE, max))
        return false;
      const joined = [...networks, EVERYONE];
      for (const network of joined) {
        const requests = inFlight.get(network) ?? new Set();
        inFlight.set(network, requests.add(request));
      }
      networksOf.set(request, joined);
      return true;
    },
    leave(request) {
      for (const network of networksOf.get(request) ?? []) leaveNetwork(network, request);
    },
  };
}
