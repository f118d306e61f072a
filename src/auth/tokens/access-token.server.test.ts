import { decodeJwt, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { beforeEach, expect, test } from "vitest";
import { ACCESS_TOKEN_SECONDS, type AccessTokens, createAccessTokens } from "./access-token.server.ts";
import type { SigningKeys } from "./signing-keys.server.ts";

const SECOND = 1_000;
const LIFETIME = ACCESS_TOKEN_SECONDS * SECOND;
const issuedAt = Date.parse("2025-08-01T12:00:00Z");
const sessionClaims = { userId: crypto.randomUUID(), sessionId: crypto.randomUUID() };
const stateKey = new Uint8Array(32);
const keyPair = await generateKeyPair("ES256", { extractable: true });
let published: boolean;
let now: number;
let tokens: AccessTokens;
let token: string;

beforeEach(async () => {
  published = true;
  now = issuedAt;
  const keys: SigningKeys = {
    signer: async () => ({ kid: "ours", privateKey: keyPair.privateKey, stateKey }),
    find: async (kid) => (published && kid === "ours" ? { publicKey: keyPair.publicKey, stateKey } : null),
    published: () => expect.fail(),
    rotate: () => expect.fail(),
  };
  tokens = createAccessTokens(keys, "https://front-row.example/auth/v1", () => now);
  const issue = await tokens.issuer();
  ({ access_token: token } = await issue(
    { id: sessionClaims.userId, email: "wren@people.example", app_metadata: {}, user_metadata: {} },
    { id: sessionClaims.sessionId, provider: "google", created_at: new Date(issuedAt) },
  ));
});

test("the owner of a token is known after it has expired, but not without its signature or published key", async () => {
  now = issuedAt + 40 * 24 * 3_600 * SECOND;
  expect(await tokens.verify(token)).toBeNull();
  expect(await tokens.findOwner(token)).toBe(sessionClaims.userId);
  const [head, body] = token.split(".");
  for (const forged of [`${head}.${body}.`, `${head}.${body}.${"A".repeat(86)}`, "x", ""])
    expect(await tokens.findOwner(forged)).toBeNull();
  now = issuedAt;
  expect(await tokens.verify(token)).toEqual(sessionClaims);
  published = false;
  for (const read of [tokens.findOwner, tokens.verify]) expect(await read(token)).toBeNull();
});

test.each([
  ["a minute before it was issued, by a slow clock", -60 * SECOND, sessionClaims],
  ["earlier than that", -61 * SECOND, null],
  ["at its last moment", LIFETIME - 1, sessionClaims],
  ["up to a minute later, by a fast clock", LIFETIME + 59 * SECOND, sessionClaims],
  ["later than that", LIFETIME + 60 * SECOND, null],
])("a token is checked against the clock, %s (docs/product.md §6.14)", async (_when, elapsed, expected) => {
  now = issuedAt + elapsed;
  expect(await tokens.verify(token)).toEqual(expected);
});

/** With changed claims, signed with the right key unless another is given. */
const tokenWith = (claims: object, header: object = {}, key: CryptoKey | Uint8Array = keyPair.privateKey) =>
  new SignJWT({ ...decodeJwt(token), ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "ours", typ: "JWT", ...header })
    .sign(key);

test.each([
  ["another issuer", { iss: "https://evil.example/auth/v1" }],
  ["another audience", { aud: "anon" }],
  ["no expiry", { exp: undefined }],
  ["no issue time", { iat: undefined }],
  ["an invalid user id", { sub: "' or true --" }],
  ["an invalid session id", { session_id: 1 }],
])("a token is refused with %s", async (_case, claims) => {
  expect(await tokens.verify(await tokenWith({}))).toEqual(sessionClaims);
  expect(await tokens.verify(await tokenWith(claims))).toBeNull();
});

test("a token is refused with another signature, without one, and with the public key as a secret", async () => {
  const [head, body, signature = ""] = token.split(".");
  const other = (signature.startsWith("A") ? "B" : "A") + signature.slice(1);
  expect(await tokens.verify(`${head}.${body}.${other}`)).toBeNull();
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  for (const alg of ["none", "None", "NONE", ""])
    for (const end of ["", signature])
      expect(await tokens.verify(`${encode({ alg, kid: "ours" })}.${body}.${end}`)).toBeNull();
  const { x = "", ...jwk } = await exportJWK(keyPair.publicKey);
  for (const secret of [await exportSPKI(keyPair.publicKey), JSON.stringify({ x, ...jwk }), x]) {
    const key = new TextEncoder().encode(secret);
    expect(await tokens.verify(await tokenWith({}, { alg: "HS256" }, key))).toBeNull();
  }
});

test("a token is refused of an unknown kid, without kid, and signed by another key under a known kid", async () => {
  const other = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(other.publicKey);
  for (const header of [{ kid: "unknown" }, {}, { jwk }, { jku: "http://127.0.0.1:9/keys" }])
    expect(await tokens.verify(await tokenWith({}, header, other.privateKey))).toBeNull();
  expect(await tokens.verify(await tokenWith({}, { kid: undefined }))).toBeNull();
});
