import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createClientAddress, createNetworksOf, findNetworks, isNetwork } from "./client-address.server.ts";

const trustedProxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8:77::/48", "::1"];
const addressOf = createClientAddress(trustedProxies);
const isTrusted = (address: string) => /^(127\.0\.0\.1$|10\.)|^2001:db8:77:|^::1$/.test(address);

const behindTen = `${"10.0.0.1,".repeat(99)}1.1.1.1${",10.0.0.1".repeat(9)}`;

test.each([
  ["it is the peer's without a proxy", "203.0.113.7", undefined, "203.0.113.7"],
  ["an untrusted peer's header is ignored", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["it is the address that a trusted proxy added", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a proxy behind a proxy is skipped", "127.0.0.1", "198.51.100.1, 10.1.2.3", "198.51.100.1"],
  ["the client's own header is ignored", "127.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
  ["… even if it names a proxy", "127.0.0.1", "10.0.0.1, 198.51.100.1", "198.51.100.1"],
  ["anything but an address ends the search", "127.0.0.1", "198.51.100.1, unknown, 10.1.2.3", "10.1.2.3"],
  ["an empty value ends the walk", "127.0.0.1", "198.51.100.1,,", "127.0.0.1"],
  ["an invalid port ends the walk", "127.0.0.1", "198.51.100.1:http", "127.0.0.1"],
  ["a port is removed", "127.0.0.1", "1.1.1.1, 198.51.100.1:8080", "198.51.100.1"],
  ["brackets and port are removed", "127.0.0.1", "[2001:db8:0::1]:8080", "2001:db8::1"],
  ["brackets are removed", "127.0.0.1", "198.51.100.1, [2001:db8:77::1], 10.1.2.3:1", "198.51.100.1"],
  ["it is the leftmost if all are proxies", "127.0.0.1", "10.0.0.2, 10.0.0.1", "10.0.0.2"],
  ["a proxy without the header is the client", "10.0.0.1", undefined, "10.0.0.1"],
  ["an IPv4 connection to an IPv6 socket is IPv4", "::ffff:127.0.0.1", "::ffff:c633:6401", "198.51.100.1"],
  ["IPv6 is in its shortest form", "::1", "2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["IPv6 networks are trusted as well", "2001:db8:77::5", "2001:db8:78::1", "2001:db8:78::1"],
  ["a zone is removed from an address", "fe80::1%eth0", undefined, "fe80::1"],
  ["a closed connection has none", undefined, "198.51.100.1", null],
  ["ten proxies are followed", "10.0.0.1", behindTen, "1.1.1.1"],
])("%s", (_, peer, forwardedFor, expected) => {
  expect(addressOf(peer, forwardedFor)).toBe(expected);
});

const anyAddress = fc.oneof(fc.ipV4(), fc.ipV6());
const hop = fc.oneof(anyAddress, fc.string(), fc.constantFrom("127.0.0.1", "10.0.0.1", "::1"));
const anyHeader = fc.oneof(
  fc.array(hop).map((hops) => hops.join(", ")),
  fc.string({ unit: "binary" }),
);
const canonical = (address: string) => createClientAddress([])(address, undefined);

/** In canonical form. Never the address of a proxy. */
const anyClient = anyAddress
  .map((address) => canonical(address) ?? "")
  .filter((address) => address !== "" && !isTrusted(address));

test("the header of an untrusted peer never changes the address", () => {
  fc.assert(fc.property(anyClient, anyHeader, (peer, header) => addressOf(peer, header) === peer));
});

test("what a client writes before the addresses of proxies never changes the address", () => {
  fc.assert(
    fc.property(anyClient, anyHeader, fc.integer({ min: 0, max: 3 }), (client, forged, proxies) => {
      const forwarded = [forged, client, ...Array(proxies).fill("10.0.0.1")].join(", ");
      return addressOf("127.0.0.1", forwarded) === client;
    }),
  );
});

test("only the last ten proxies are read", () => {
  const proxy = fc.constantFrom("10.0.0.1", "::1", "2001:db8:77::1");
  const proxies = fc.array(proxy, { minLength: 10, maxLength: 999 });
  fc.assert(
    fc.property(anyHeader, proxies, (before, hops) => {
      expect(addressOf("10.0.0.1", [before, ...hops].join(","))).toBe(hops.at(-10));
    }),
  );
});

test("the result is always a canonical address", () => {
  fc.assert(
    fc.property(anyAddress, anyHeader, (peer, header) => {
      const address = addressOf(peer, header) ?? "none";
      expect(canonical(address)).toBe(address);
      for (const network of findNetworks(address)) expect(isNetwork(network)).toBe(true);
    }),
  );
});

test("a client's networks are its IPv4 address, or the /64 and the /48 of its IPv6 address", () => {
  expect(findNetworks("203.0.113.7")).toEqual(["203.0.113.7"]);
  expect(findNetworks("2001:db8:1:2:3:4:5:6")).toEqual(["2001:db8:1:2::/64", "2001:db8:1::/48"]);
  expect(findNetworks("2001:db8::1")).toEqual(["2001:db8:0:0::/64", "2001:db8:0::/48"]);
  expect(findNetworks("::1")).toEqual(["0:0:0:0::/64", "0:0:0::/48"]);
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(groups, groups, groups, (network, one, other) => {
      const [a, b] = [one, other].map((host) =>
        canonical([...network, ...host].map((n) => n.toString(16)).join(":")),
      );
      fc.pre(!isIPv4(a ?? "") && !isIPv4(b ?? ""));
      expect(findNetworks(a ?? "")).toEqual(findNetworks(b ?? ""));
    }),
  );
});

test("each process has its own digests of networks, the same for every request of a client", () => {
  const networksOf = createNetworksOf(trustedProxies);
  const requestOf = (remoteAddress: string, client: string) =>
    ({ socket: { remoteAddress }, headers: { "x-forwarded-for": client } }) as unknown as IncomingMessage;
  const request = requestOf("127.0.0.1", "2001:db8:1:2::3");
  const found = networksOf(request);
  expect(found).toEqual([expect.stringMatching(/^[\w-]{22}$/), expect.stringMatching(/^[\w-]{22}$/)]);
  for (const same of [request, requestOf("10.0.0.1", "2001:db8:1:2::4")])
    expect(networksOf(same)).toEqual(found);
  expect(createNetworksOf(trustedProxies)(request)).not.toEqual(found);
  expect(networksOf(requestOf("127.0.0.1", "127.0.0.1"))).toEqual([]);
});

test("only addresses and networks are accepted", () => {
  const networks = "10.0.0.1 10.0.0.0/8 ::1 2001:db8::/32 ::ffff:10.0.0.1".split(" ");
  const tooWide = "10.0.0.0/33 2001:db8::/129 0.0.0.0/0 ::/0 ::ffff:10.0.0.0/104".split(" ");
  const others = "0:0:0:0:0:ffff:0:0/96 fe80::1%eth0 10.0.0 10.0.0.0/ 10.0.0.0/8/8 proxy.example".split(" ");
  expect([...networks, ...tooWide, ...others].filter(isNetwork)).toEqual(networks);
});
