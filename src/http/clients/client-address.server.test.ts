import { isIPv4 } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createClientAddress, isNetwork, networksOf } from "./client-address.server.ts";

const addressOf = createClientAddress(["127.0.0.1", "10.0.0.0/8", "2001:db8:77::/48", "::1"]);
const isTrusted = (address: string) => /^(127\.0\.0\.1$|10\.)|^2001:db8:77:|^::1$/.test(address);

test.each([
  ["it is the peer's without a proxy", "203.0.113.7", undefined, "203.0.113.7"],
  ["an untrusted peer's header is ignored", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["it is the address that a trusted proxy added", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a proxy behind a proxy is skipped", "127.0.0.1", "198.51.100.1, 10.1.2.3", "198.51.100.1"],
  [
    "addresses from the client's own header are ignored",
    "127.0.0.1",
    "1.1.1.1, 198.51.100.1",
    "198.51.100.1",
  ],
  [
    "addresses from the client's own header are ignored, even those of a proxy",
    "127.0.0.1",
    "10.0.0.1, 198.51.100.1",
    "198.51.100.1",
  ],
  [
    "a value that is not an address ends the search",
    "127.0.0.1",
    "198.51.100.1, unknown, 10.1.2.3",
    "10.1.2.3",
  ],
  ["an empty value ends the search", "127.0.0.1", "198.51.100.1,,", "127.0.0.1"],
  ["an invalid port ends the search", "127.0.0.1", "198.51.100.1:http", "127.0.0.1"],
  ["a port is removed", "127.0.0.1", "1.1.1.1, 198.51.100.1:8080", "198.51.100.1"],
  ["the brackets of IPv6 are removed", "127.0.0.1", "[2001:db8:0::1]:8080", "2001:db8::1"],
  [
    "the brackets of IPv6 are removed, also without a port",
    "127.0.0.1",
    "198.51.100.1, [2001:db8:77::1], 10.1.2.3:1",
    "198.51.100.1",
  ],
  ["it is the leftmost if all are proxies", "127.0.0.1", "10.0.0.2, 10.0.0.1", "10.0.0.2"],
  ["a proxy without the header is the client", "10.0.0.1", undefined, "10.0.0.1"],
  ["an IPv4 connection to an IPv6 socket is IPv4", "::ffff:127.0.0.1", "::ffff:c633:6401", "198.51.100.1"],
  ["IPv6 is in its shortest form", "::1", "2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["IPv6 networks are trusted as well", "2001:db8:77::5", "2001:db8:78::1", "2001:db8:78::1"],
  ["a zone is removed from an address", "fe80::1%eth0", undefined, "fe80::1"],
])("%s", (_, peer, forwardedFor, expected) => {
  expect(addressOf(peer, forwardedFor)).toBe(expected);
});

test("a closed connection has no address", () => {
  expect(addressOf(undefined, "198.51.100.1")).toBeNull();
});

const anyAddress = fc.oneof(fc.ipV4(), fc.ipV6());
const anyHeader = fc.oneof(
  fc
    .array(fc.oneof(anyAddress, fc.string(), fc.constantFrom("127.0.0.1", "10.0.0.1", "::1")))
    .map((l) => l.join(", ")),
  fc.string({ unit: "binary" }),
);
const canonical = (address: string) => createClientAddress([])(address, undefined);

test("the header of an untrusted peer never changes the address", () => {
  fc.assert(
    fc.property(anyAddress, anyHeader, (peer, header) => {
      const canonicalPeer = canonical(peer);
      fc.pre(canonicalPeer !== null && !isTrusted(canonicalPeer));
      expect(addressOf(peer, header)).toBe(canonicalPeer);
    }),
  );
});

test("addresses that a client writes before those of proxies never change the address", () => {
  fc.assert(
    fc.property(anyAddress, anyHeader, fc.integer({ min: 0, max: 3 }), (client, forged, proxies) => {
      const canonicalPeer = canonical(client);
      fc.pre(canonicalPeer !== null && !isTrusted(canonicalPeer));
      const forwarded = [client, ...Array(proxies).fill("10.0.0.1")].join(", ");
      expect(addressOf("127.0.0.1", `${forged}, ${forwarded}`)).toBe(canonicalPeer);
    }),
  );
});

test("the result is always a canonical address", () => {
  fc.assert(
    fc.property(anyAddress, anyHeader, (peer, header) => {
      const address = addressOf(peer, header) ?? "none";
      expect(canonical(address)).toBe(address);
      for (const network of networksOf(address)) expect(isNetwork(network)).toBe(true);
    }),
  );
});

test("clients are counted by their IPv4 address, or by the /64 and the /48 of their IPv6 address", () => {
  expect(networksOf("203.0.113.7")).toEqual(["203.0.113.7"]);
  expect(networksOf("2001:db8:1:2:3:4:5:6")).toEqual(["2001:db8:1:2::/64", "2001:db8:1::/48"]);
  expect(networksOf("2001:db8::1")).toEqual(["2001:db8:0:0::/64", "2001:db8:0::/48"]);
  expect(networksOf("::1")).toEqual(["0:0:0:0::/64", "0:0:0::/48"]);
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(groups, groups, groups, (network, one, other) => {
      const [a, b] = [one, other].map((host) =>
        canonical([...network, ...host].map((n) => n.toString(16)).join(":")),
      );
      fc.pre(!isIPv4(a ?? "") && !isIPv4(b ?? ""));
      expect(networksOf(a ?? "")).toEqual(networksOf(b ?? ""));
    }),
  );
});

test.each([
  ["10.0.0.1", true],
  ["10.0.0.0/8", true],
  ["::1", true],
  ["2001:db8::/32", true],
  ["::ffff:10.0.0.1", true],
  ["10.0.0.0/33", false],
  ["2001:db8::/129", false],
  ["0.0.0.0/0", false],
  ["::/0", false],
  ["::ffff:10.0.0.0/104", false],
  ["0:0:0:0:0:ffff:0:0/96", false],
  ["fe80::1%eth0", false],
  ["10.0.0", false],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/8", false],
  ["proxy.example", false],
])("isNetwork(%s) is %s", (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});
