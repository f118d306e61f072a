import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4, SocketAddress } from "node:net";
import type { Context } from "hono";
import { digestOf } from "../../lib/hash.server.ts";

/**
 * The client's networks as digests, narrowest first: addresses are compared, never kept. Empty for loopback,
 * because all visitors behind an untrusted local proxy would be one client.
 */
export type NetworksOf = (request: IncomingMessage) => readonly string[];

/** Reads each request once. Each process has its own random key for the digests. */
export function createNetworksOf(trustedProxies: readonly string[]): NetworksOf {
  const clientAddress = createClientAddress(trustedProxies);
  const digestKey = randomBytes(32).toString("base64url");
  const known = new WeakMap<IncomingMessage, readonly string[]>();

  function find({ socket, headers }: IncomingMessage): string[] {
    const address = clientAddress(socket.remoteAddress, headers["x-forwarded-for"]?.toString());
    const networks = address === null || isLocal(address) ? [] : findNetworks(address);
    return networks.map((network) => digestOf(digestKey + network));
  }

  return function findOnce(request) {
    const networks = known.get(request) ?? find(request);
    known.set(request, networks);
    return networks;
  };
}

/** Of `X-Forwarded-For`: a header of 16 KB has thousands. */
const MAX_HOPS = 10;

/**
 * The client is the rightmost address of `X-Forwarded-For` that is not a trusted proxy. Anything but an address
 * ends the search, because no proxy wrote it. Null when the connection has closed.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const trusted = new BlockList();
  for (const network of trustedProxies) addNetwork(trusted, network);
  const isTrusted = (address: string) => trusted.check(address, familyOf(address));

  return function clientAddress(peer: string | undefined, forwardedFor: string | undefined) {
    let client = readAddress(peer ?? "");
    if (client === null || !isTrusted(client)) return client;
    for (const hop of (forwardedFor ?? "").split(",").slice(-MAX_HOPS).reverse()) {
      const next = readAddress(hop.trim());
      if (next === null) break;
      client = next;
      if (!isTrusted(client)) break;
    }
    return client;
  };
}

/** The client's widest network: a whole /48 gets as many turns as one address (docs/product.md §8.7). */
export function createClientOf(networksOf: NetworksOf): (c: Context) => string {
  return (c) => networksOf(c.env.incoming).at(-1) ?? "";
}

/** A household or phone gets a /64. A provider's phones share a /48, and anybody can rent one. */
export function findNetworks(address: string): string[] {
  if (!address.includes(":")) return [address];
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return [64, 48].map((bits) => `${groups.slice(0, bits / 16).join(":")}::/${bits}`);
}

/** False also for a network of all addresses. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return bits >= 1 && bits <= bitsOf(address) && !isMapped(address);
}

function addNetwork(list: BlockList, text: string): void {
  const [host = "", prefix] = text.split("/");
  const address = readAddress(host) ?? host;
  list.addSubnet(address, Number(prefix ?? bitsOf(address)), familyOf(address));
}

function bitsOf(address: string): number {
  return isIPv4(address) ? 32 : 128;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
}

/** In canonical form, without a port, IPv4 never as IPv6. Null for anything else. */
function readAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const family = "ipv6";
  const parsed = isIP(text) ? new SocketAddress({ address: text, family }) : SocketAddress.parse(text);
  return parsed?.address.replace(/^::ffff:(?=.*\.)/, "") ?? null;
}

function isMapped(address: string): boolean {
  return address.includes(":") && !readAddress(address)?.includes(":");
}

function isLocal(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}
