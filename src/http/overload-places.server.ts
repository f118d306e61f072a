import type { IncomingMessage } from "node:http";

interface PlacesOptions {
  most: number;
  /** What the client of a request is counted by: its network, then a wider one. */
  networksOf: (request: IncomingMessage) => string[];
  /** Told of each request whose connection is ended. */
  onCutOff: () => void;
}

/** Gives places to requests. */
export interface Places {
  /** A place, until the returned function is called or the connection ends; null when there is none. */
  take(request: IncomingMessage): (() => void) | null;
}

interface Place {
  request: IncomingMessage;
  networks: string[];
}

/** The parts of all places that a client's network may have, and the wider one. */
const PARTS = [1 / 4, 1 / 2];

/**
 * So many places, of which no client may have more than a part. Where there is none left, the request makes room whose body has been
 * on its way for the longest time: whoever sends bodies slowly, from however many addresses, keeps nobody out who does not.
 */
export function createPlaces({ most, networksOf, onCutOff }: PlacesOptions): Places {
  /**
   * In the order in which they came. Not a map: V8 has a map's table, when it is through, point to the next one, so that tables which have
   * grown old kept those after them and thousands of requests, until all memory was looked at.
   */
  let taken: Place[] = [];

  function makeRoom(part: number, network?: string): boolean {
    const rivals = network === undefined ? taken : taken.filter(({ networks }) => networks.includes(network));
    if (rivals.length < most * part) return true;
    const slow = rivals.find(({ request }) => !request.complete);
    if (!slow) return false;
    leave(slow);
    slow.request.socket.destroy();
    onCutOff();
    return true;
  }

  function leave(place: Place): void {
    taken = taken.filter((other) => other !== place);
  }

  /** Of what came after an answer that was never read, nothing but the connection tells the end. */
  function forgetGone(): void {
    taken = taken.filter(({ request }) => !request.socket.destroyed);
  }

  return {
    take(request) {
      forgetGone();
      const networks = networksOf(request);
      const isRoom = networks.every((network, index) => makeRoom(PARTS[index] ?? 1, network)) && makeRoom(1);
      if (!isRoom) return null;
      const place = { request, networks };
      taken.push(place);
      return () => leave(place);
    },
  };
}
