import { CompactEncrypt } from "jose";
import { beforeEach, expect, test } from "vitest";
import { createSignInAttempts, type SignInAttempt, type SignInAttempts } from "./sign-in-attempt.server.ts";
import type { SigningKeys } from "./signing-keys.server.ts";

const random = "r".repeat(43);
const attempt: SignInAttempt = {
  id: random,
  provider: "google",
  challenge: "c".repeat(128),
  redirectTo: `https://front-row.example/?${"a".repeat(574)}`,
  nonce: random,
  providerVerifier: random,
};

const begun = Date.parse("2025-08-01T12:00:00Z");
const ours = new Uint8Array(32).fill(1);
const theirs = new Uint8Array(32).fill(2);
const noKey = new Uint8Array();
const kid = "k".repeat(43);

/** Like `createSigningKeys`: the newest key seals, and all keys open. */
function keysOf(stored: Record<string, Uint8Array>): SigningKeys {
  const [[newest, stateKey] = expect.fail()] = Object.entries(stored);
  return {
    signer: async () => ({ kid: newest, privateKey: noKey, stateKey }),
    find: async (kid) => (stored[kid] ? { publicKey: noKey, stateKey: stored[kid] } : null),
    published: () => expect.fail(),
    rotate: () => expect.fail(),
  };
}

let now: number;
let attempts: SignInAttempts;
let state: string;

beforeEach(async () => {
  now = begun;
  attempts = createSignInAttempts(keysOf({ [kid]: ours }), () => now);
  state = await attempts.seal(attempt);
});

test("a state contains the whole attempt for 15 minutes, reveals nothing of it, and is short enough", async () => {
  now += 900_000 - 1;
  expect(await attempts.open(state)).toEqual(attempt);
  now += 1;
  expect(await attempts.open(state)).toBeNull();
  expect(state.length).toBeLessThan(1_500);
  for (const part of state.split(".").slice(1))
    expect(Buffer.from(part, "base64url").toString("latin1")).not.toMatch(/rrrr|cccc|aaaa|google/);
});

test("a state is opened by an instance whose newest key is another, but not without its key", async () => {
  const rotated = createSignInAttempts(keysOf({ new: theirs, [kid]: ours }), () => now);
  expect(await rotated.open(state)).toEqual(attempt);
  const other = createSignInAttempts(keysOf({ [kid]: theirs }), () => now);
  expect(await other.open(state)).toBeNull();
  expect(await createSignInAttempts(keysOf({ new: ours }), () => now).open(state)).toBeNull();
});

test("a state with any character changed, or cut anywhere, is not opened as another", async () => {
  for (let position = 0; position < state.length; position++) {
    expect(await attempts.open(state.slice(0, position))).toBeNull();
    const other = state[position] === "A" ? "B" : "A";
    const opened = await attempts.open(state.slice(0, position) + other + state.slice(position + 1));
    // Base64url has spare bits at the end of a part: such a spelling is the same state, with the same id.
    expect(opened ?? attempt).toEqual(attempt);
  }
});

const ourHeader = { alg: "dir", enc: "A256GCM", kid };
test.each([
  ["sealed with another key", ourHeader, theirs, attempt],
  ["sealed with another cipher", { ...ourHeader, enc: "A128CBC-HS256" }, ours, attempt],
  ["sealed with a wrapped key", { ...ourHeader, alg: "A256KW" }, ours, attempt],
  ["sealed with no key's id", { alg: "dir", enc: "A256GCM" }, ours, attempt],
  ["of another version of the site", ourHeader, ours, { id: random }],
])("a state %s is not opened", async (_case, header, key, content) => {
  const text = new TextEncoder().encode(JSON.stringify({ ...content, expiresAt: begun + 1_000 }));
  const forged = await new CompactEncrypt(text).setProtectedHeader(header).encrypt(key);
  expect(await attempts.open(forged)).toBeNull();
});

test("a password-based key, whose derivation could take minutes, is refused at once", async () => {
  const header = { ...ourHeader, alg: "PBES2-HS256+A128KW", p2s: "c2FsdA", p2c: 2 ** 31 };
  const encoded = Buffer.from(JSON.stringify(header)).toString("base64url");
  expect(await attempts.open([encoded, ...state.split(".").slice(1)].join("."))).toBeNull();
});
