import { createClientAddress, networksOf } from "./client-address.server.ts";

/**
 * What a client is counted by, by the address of its connection and its `X-Forwarded-For`: its address or network, then the wider
 * network if it has one. Nothing for this machine itself: behind a proxy on it that is not trusted, all visitors would be one client.
 */
export type ClientNetworks = (peer: string | undefined, forwardedFor: string | undefined) => string[];

/** @param trustedProxies addresses and networks whose `X-Forwarded-For` is believed */
export function createClientNetworks(trustedProxies: readonly string[]): ClientNetworks {
  const clientAddress = createClientAddress(trustedProxies);
  return function clientNetworks(peer, forwardedFor) {
    const address = clientAddress(peer, forwardedFor);
    return address === null || isThisMachine(address) ? [] : networksOf(address);
  };
}

function isThisMachine(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}
