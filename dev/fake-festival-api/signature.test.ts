import fc from "fast-check";
import { expect, test } from "vitest";
import { isSigned, sign } from "./signature.ts";

// From the tests of public API clients.
const vectors = [
  ["mysecret", "/events?key=mykey", "9c638d91ba50f39da6ecc1d4e8846ae30c318f55"],
  ["test-secret", "/events/1234?key=test-key", "93604dba44ed6a988bb6b25f480c66f1d7978ec1"],
  ["test-secret", "/events?title=%22Foo+Bar%22&key=test-key", "b313169e84c3922f07c6010e2191486a5192c039"],
  ["test-secret", "/events?artist=Am%C3%A9lie&key=test-key", "6fdb17738b2fcb841105585fa02c8052075c3d89"],
  ["456", "/events?key=123", "742969faae86a4ba4223c7d93d05ead4b1397c23"],
  ["fakeSecretKey", "/events?title=some%20Item&key=fakeKey", "786b76e82c2951f124ebfa166569cca154796075"],
] as const;

test.each(vectors)("with %s, %s is signed %s", (secret, message, signature) => {
  expect(sign(message, secret)).toBe(signature);
});

test.each(vectors)(
  "with %s, a request for %s is accepted with that signature only",
  (secret, message, signature) => {
    const key = message.slice(message.lastIndexOf("=") + 1);
    expect(isSigned(`${message}&signature=${signature}`, { key, secret })).toBe(true);
    expect(isSigned(`${message}&signature=${signature.toUpperCase()}`, { key, secret })).toBe(false);
    expect(isSigned(`${message}&signature=${signature.slice(1)}`, { key, secret })).toBe(false);
    expect(isSigned(`${message}&signature=`, { key, secret })).toBe(false);
    expect(isSigned(message, { key, secret })).toBe(false);
    expect(isSigned(`${message}&signature=${signature}&size=5`, { key, secret })).toBe(false);
    expect(isSigned(`${message}&signature=${signature}`, { key, secret: `${secret}!` })).toBe(false);
    expect(isSigned(`${message}&signature=${signature}`, { key: `${key}!`, secret })).toBe(false);
  },
);

test.each([
  ["/events?title=some%20Item&key=k", "/events?title=some+Item&key=k"],
  ["/events?artist=Am%C3%A9lie&key=k", "/events?artist=Am%c3%a9lie&key=k"],
  ["/events?a=1&b=2&key=k", "/events?b=2&a=1&key=k"],
  ["/events?key=k", "/events/?key=k"],
])("%s is another message than %s, although they are equivalent", (signed, sent) => {
  const credentials = { key: "k", secret: "s" };
  expect(isSigned(`${signed}&signature=${sign(signed, "s")}`, credentials)).toBe(true);
  expect(isSigned(`${sent}&signature=${sign(signed, "s")}`, credentials)).toBe(false);
  expect(isSigned(`${sent}&signature=${sign(sent, "s")}`, credentials)).toBe(true);
});

test("any change of a signed request invalidates its signature", () => {
  const message = "/events?festival=fringe&from=100&key=k";
  const signed = `${message}&signature=${sign(message, "s")}`;
  fc.assert(
    fc.property(
      fc.nat(signed.length - 1),
      fc.string({ minLength: 1, maxLength: 1 }),
      (position, character) => {
        const changed = signed.slice(0, position) + character + signed.slice(position + 1);
        expect(isSigned(changed, { key: "k", secret: "s" })).toBe(changed === signed);
      },
    ),
  );
});

test("a missing, empty or repeated key is refused", () => {
  for (const message of ["/events?year=2025", "/events?key=", "/events?key=k&key=k"]) {
    expect(isSigned(`${message}&signature=${sign(message, "s")}`, { key: "k", secret: "s" })).toBe(false);
  }
});
