import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * The address of the client that sent a request, by the address of its connection and its `X-Forwarded-For`; null when the
 * connection has no address any more. IPv4 addresses are told as such, however they were written.
 */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string | null;

/**
 * Believes `X-Forwarded-For` only from these addresses and networks: each of them adds at the right whom it got the request
 * from, some with its port. The answer is the rightmost address that is none of them. What is no address was not written by a proxy that knows what it
 * does: nothing from there on to the left is believed.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const network of trustedProxies) addNetwork(trusted, network);
  const isTrusted = (address: string) => trusted.check(address, familyOf(address));

  return function clientAddress(peer, forwardedFor) {
    let client = readAddress(peer ?? "");
    const named = forwardedFor?.split(",") ?? [];
    while (client !== null && isTrusted(client) && named.length > 0) {
      const next = readAddress(withoutPort(named.pop()?.trim() ?? ""));
      if (next === null) break;
      client = next;
    }
    return client;
  };
}

/**
 * What a client's requests are counted by: an IPv4 address, or the /64 of an IPv6 address, which is what one
 * household or one phone is given, and may change its addresses in as it likes; then its /48, of which
 * anybody may rent one with 65,536 of those, and a provider's phones share one.
 */
export function networksOf(address: string): string[] {
  if (!address.includes(":")) return [address];
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return [64, 48].map((bits) => `${groups.slice(0, bits / 16).join(":")}::/${bits}`);
}

/** Whether a text names one address, or a network as `10.0.0.0/8`. The network of all addresses is none: everybody would be believed. */
export function isNetwork(text: string): boolean {
  const { address, prefix } = splitNetwork(text);
  if (readAddress(address) === null || address.includes("%")) return false;
  if (prefix === undefined) return true;
  const bits = isIPv4(address) ? 32 : 128;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits && !isMapped(address);
}

function addNetwork(list: BlockList, text: string): void {
  const { address, prefix } = splitNetwork(text);
  const one = readAddress(address) ?? address;
  if (prefix === undefined) list.addAddress(one, familyOf(one));
  else list.addSubnet(one, Number(prefix), familyOf(one));
}

function splitNetwork(text: string): { address: string; prefix: string | undefined } {
  const slash = text.indexOf("/");
  return slash < 0
    ? { address: text, prefix: undefined }
    : { address: text.slice(0, slash), prefix: text.slice(slash + 1) };
}

/** What is left of `1.2.3.4:567`, `[2001:db8::1]:567` or `[2001:db8::1]`. */
function withoutPort(text: string): string {
  const [, v4, v6] = /^(?:([\d.]+):\d{1,5}|\[(.+)\](?::\d{1,5})?)$/.exec(text) ?? [];
  return v4 ?? v6 ?? text;
}

/** An address in the one way it is written here: IPv6 in its shortest form, IPv4 never as IPv6; null when it is none. */
function readAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return null;
  const [address = ""] = text.split("%");
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest);
  if (!mapped) return shortest;
  const bytes = mapped.slice(1).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return bytes.join(".");
}

function isMapped(address: string): boolean {
  return isIPv6(address) && readAddress(address)?.includes(".") === true;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
}
