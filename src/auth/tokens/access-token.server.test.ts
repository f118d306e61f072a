import { generateKeyPair } from "jose";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { ACCESS_TOKEN_SECONDS, type AccessTokens, createAccessTokens } from "./access-token.server.ts";
import type { SigningKeys } from "./signing-keys.server.ts";

const SECOND = 1_000;
const LIFE = ACCESS_TOKEN_SECONDS * SECOND;

const issuedAt = Date.parse("2025-08-01T12:00:00Z");
const named = { userId: crypto.randomUUID(), sessionId: crypto.randomUUID() };

let pair: Awaited<ReturnType<typeof generateKeyPair>>;
let published: boolean;
let now: number;
let tokens: AccessTokens;
let token: string;

beforeAll(async () => {
  pair = await generateKeyPair("ES256");
});
beforeEach(async () => {
  published = true;
  now = issuedAt;
  const keys: SigningKeys = {
    signer: async () => ({ kid: "ours", key: pair.privateKey }),
    find: async (kid) => (published && kid === "ours" ? pair.publicKey : null),
    published: () => expect.fail(),
    rotate: () => expect.fail(),
  };
  tokens = createAccessTokens(keys, "https://front-row.example/auth/v1", () => now);
  ({ token } = await (await tokens.issuer())({
    id: named.userId,
    sessionId: named.sessionId,
    email: "wren@people.example",
    provider: "google",
    app_metadata: {},
    user_metadata: {},
    signedInAt: new Date(issuedAt),
  }));
});

test("a token with another signature is refused, also after the good one came", async () => {
  expect(await tokens.read(token)).toEqual(named);
  const [head, body, signature = ""] = token.split(".");
  const other = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  expect(await tokens.read(`${head}.${body}.${other}`)).toBeNull();
});

test("a token that was good is refused from the moment at which its key is no more", async () => {
  expect(await tokens.read(token)).toEqual(named);
  published = false;
  expect(await tokens.read(token)).toBeNull();
});

test.each([
  ["a minute before it was issued, by another clock", -60 * SECOND, named],
  ["earlier than that", -61 * SECOND, null],
  ["at its last moment", LIFE - 1, named],
  ["up to a minute later, by another clock", LIFE + 59 * SECOND, named],
  ["later than that", LIFE + 60 * SECOND, null],
])("whether a token is good %s, also where it was good before", async (_when, later, expected) => {
  expect(await tokens.read(token)).toEqual(named);
  now = issuedAt + later;
  expect(await tokens.read(token)).toEqual(expected);
});
