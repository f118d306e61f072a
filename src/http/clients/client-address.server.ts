import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4, SocketAddress } from "node:net";
import type { Context } from "hono";

/**
 * Finds the client's address in canonical form, IPv4 never as IPv6; null when the connection is gone. It is
 * the rightmost address of `X-Forwarded-For` that is no trusted proxy. What is no address ends the walk: no
 * proxy wrote it. Values left of the client are never read, so a long forged header costs nothing.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const trusted = new BlockList();
  for (const network of trustedProxies) addNetwork(trusted, network);

  return function clientAddress(peer: string | undefined, forwardedFor: string | undefined) {
    let client = readAddress(peer ?? "");
    const hops = forwardedFor?.split(",") ?? [];
    while (client !== null && trusted.check(client, familyOf(client))) {
      const next = readAddress(hops.pop()?.trim() ?? "");
      if (next === null) break;
      client = next;
    }
    return client;
  };
}

/** None for loopback: all visitors behind an untrusted local proxy would be one client. */
export function createClientNetworks(trustedProxies: readonly string[]) {
  const clientAddress = createClientAddress(trustedProxies);
  return function clientNetworks({ socket, headers }: IncomingMessage): string[] {
    const address = clientAddress(socket.remoteAddress, headers["x-forwarded-for"]?.toString());
    return address === null || isLocal(address) ? [] : networksOf(address);
  };
}

/** The widest network of the client: one /48 has no more turns than one address (docs/product.md §8.7). */
export function createClientOf(trustedProxies: readonly string[]): (c: Context) => string {
  const clientNetworks = createClientNetworks(trustedProxies);
  return (c) => clientNetworks(c.env.incoming).at(-1) ?? "";
}

/**
 * An IPv4 address; or an IPv6 /64, which one household or phone gets, then its /48, which a provider's phones
 * share and anybody can rent.
 */
export function networksOf(address: string): string[] {
  if (!address.includes(":")) return [address];
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return [64, 48].map((bits) => `${groups.slice(0, bits / 16).join(":")}::/${bits}`);
}

/** Whether a text is an address or a network, but not that of all addresses. */
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

/** In canonical form, without a port; null for anything else. */
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
