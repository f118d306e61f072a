import type { IncomingMessage } from "node:http";

export interface InFlightLimit {
  /** Whether there is room for a request, which has it then until it leaves or its connection ends. */
  enter(request: IncomingMessage): boolean;
  leave(request: IncomingMessage): void;
}

interface InFlightLimitOptions {
  max: number;
  /** The networks of a request's client, the wider one last. */
  networksOf?: (request: IncomingMessage) => string[];
  onEvicted?: () => void;
}

/** Of all requests, those that a client's network may have in flight, and the wider one. */
const SHARES = [1 / 4, 1 / 2];

/**
 * Lets no more than so many requests be in flight. Where there is no room, the one makes some whose body has been on its way
 * for the longest time: slow bodies keep nobody out, however many clients send them.
 */
export function createInFlightLimit({
  max,
  networksOf = () => [],
  onEvicted = () => {},
}: InFlightLimitOptions): InFlightLimit {
  /** In the order of their arrival. */
  const inFlight = new Map<IncomingMessage, string[]>();

  function makeRoom(limit: number, network?: string): boolean {
    if (inFlight.size < limit) return true;
    let rivals = 0;
    let slowest: IncomingMessage | undefined;
    for (const [request, networks] of inFlight) {
      // A handler may still be at work for a connection that is gone.
      if (request.socket.destroyed || (network !== undefined && !networks.includes(network))) continue;
      rivals++;
      if (!request.complete) slowest ??= request;
    }
    if (rivals < limit) return true;
    if (!slowest) return false;
    slowest.socket.destroy();
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
