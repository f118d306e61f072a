import { decodeJwt, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { callAuth, signIn, statusAndCode } from "../support/accounts.ts";
import { givenDeleted } from "../support/given.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
const session = await signIn(origin, "google", { email: "wren@people.example" });
const [signingKey = expect.fail()] = await storedRows(db, "signing_keys", ["kid", "private_key"]);
const { kid } = signingKey;
const privateJwk: JWK = signingKey.private_key;

const SECOND = 1;
const MINUTE = 60;
const now = () => Math.floor(Date.now() / 1000);

/** The session's access token with changed claims, signed with the server's key unless another is given. */
async function tokenWith(
  claims: object,
  { key, header = {} }: { key?: CryptoKey | Uint8Array; header?: object } = {},
) {
  const payload = { ...decodeJwt(session.access_token), ...claims };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "ES256", kid, typ: "JWT", ...header })
    .sign(key ?? (await importJWK(privateJwk, "ES256")));
}

/** Status and error code that a token gets from the auth protocol, then from the API. */
async function check(token: string) {
  const mine = await accountsSite.site.api("/api/reviews/mine", { Authorization: `Bearer ${token}` });
  return [
    ...(await statusAndCode(await callAuth(origin, "/user", { token }))),
    ...(await statusAndCode(mine)),
  ];
}

const accepted = [200, undefined, 200, undefined];
const rejected = [403, "bad_jwt", 401, "authentication_required"];
const sessionGone = [403, "session_not_found", 401, "authentication_required"];

test("an issued token is accepted and has the claims of the protocol", async () => {
  expect(await check(session.access_token)).toEqual(accepted);
  const claims = decodeJwt(session.access_token);
  expect(claims).toMatchObject({
    iss: `${origin}/auth/v1`,
    sub: session.user.id,
    aud: "authenticated",
    email: "wren@people.example",
    role: "authenticated",
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    app_metadata: { provider: "google", providers: ["google"] },
    user_metadata: {},
    aal: "aal1",
    amr: [{ method: "oauth", provider: "google" }],
  });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
});

describe("a token is rejected", () => {
  test("with the algorithm none", async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const payload = encode(decodeJwt(session.access_token));
    for (const alg of ["none", "None", "NONE", ""]) {
      expect(await check(`${encode({ alg, kid, typ: "JWT" })}.${payload}.`)).toEqual(rejected);
      expect(await check(`${encode({ alg, kid })}.${payload}.${session.access_token.split(".")[2]}`)).toEqual(
        rejected,
      );
    }
  });

  test("when signed by HMAC with the public key as its secret", async () => {
    const { d: _, ...publicJwk } = privateJwk;
    const publicKey = await importJWK(publicJwk, "ES256", { extractable: true });
    if (publicKey instanceof Uint8Array) expect.fail();
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(publicJwk), publicJwk.x ?? ""]) {
      const key = new TextEncoder().encode(secret);
      expect(await check(await tokenWith({}, { key, header: { alg: "HS256" } }))).toEqual(rejected);
    }
  });

  test("with an unknown kid, without kid, or signed by another key under a known kid", async () => {
    const { privateKey: key, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await crypto.subtle.exportKey("jwk", publicKey)) };
    for (const signature of [
      { key, header: { kid: "unknown" } },
      { key, header: { kid: undefined } },
      { header: { kid: undefined } },
      { key },
      { key, header: { jwk } },
      { key, header: { jku: "http://127.0.0.1:9/keys" } },
    ])
      expect(await check(await tokenWith({}, signature))).toEqual(rejected);
  });

  test.each([
    ["another issuer", { iss: "https://evil.example/auth/v1" }],
    ["no issuer", { iss: undefined }],
    ["another audience", { aud: "anon" }],
    ["no audience", { aud: undefined }],
    ["no expiry", { exp: undefined }],
    ["no issue time", { iat: undefined }],
    ["no user", { sub: undefined }],
    ["an invalid user id", { sub: "' or true --" }],
    ["no session", { session_id: undefined }],
    ["an invalid session id", { session_id: 1 }],
    ["an invalid expiry", { exp: "tomorrow" }],
  ])("with %s", async (_case, claims) => {
    expect(await check(await tokenWith(claims))).toEqual(rejected);
  });

  test.each(["", "x", "x.y.z", "..", "é.é.é", "null", "a".repeat(10_000)])(
    "that is not a JWT: %#",
    async (token) => {
      const response = await callAuth(origin, "/user", {
        headers: { Authorization: `Bearer ${encodeURI(token)}` },
      });
      expect([401, 403]).toContain(response.status);
    },
  );

  test("without the Bearer scheme, or without a token", async () => {
    for (const Authorization of ["", session.access_token, `Basic ${session.access_token}`, "Bearer"]) {
      const response = await callAuth(origin, "/user", { headers: { Authorization } });
      expect(await statusAndCode(response)).toEqual([401, "no_authorization"]);
    }
  });
});

describe("clocks may differ by 60 s (docs/product.md §11)", () => {
  test.each([
    ["expired 50 seconds ago", -50 * SECOND, accepted],
    ["expired 70 seconds ago", -70 * SECOND, rejected],
    ["expired a day ago", -24 * 60 * MINUTE, rejected],
  ])("a token that %s", async (_case, offset, expected) => {
    const exp = now() + offset;
    expect(await check(await tokenWith({ exp, iat: exp - 60 * MINUTE }))).toEqual(expected);
  });

  test.each([
    ["in 50 seconds", 50 * SECOND, accepted],
    ["in 70 seconds", 70 * SECOND, rejected],
  ])("a token that was issued %s", async (_case, offset, expected) => {
    const iat = now() + offset;
    expect(await check(await tokenWith({ iat, exp: iat + 60 * MINUTE }))).toEqual(expected);
  });
});

describe("a valid token is rejected when its session has ended", () => {
  test("after signing out", async () => {
    const otherSession = await signIn(origin, "github", { email: "pip@people.example" });
    await callAuth(origin, "/logout", { token: otherSession.access_token });
    expect(await check(otherSession.access_token)).toEqual(sessionGone);
  });

  test("after the user was deleted", async () => {
    const otherSession = await signIn(origin, "github", { email: "gone@people.example" });
    await givenDeleted(db, "users", { id: otherSession.user.id });
    expect(await check(otherSession.access_token)).toEqual(sessionGone);
  });

  test("when it names another user's session", async () => {
    const otherSession = await signIn(origin, "github", { email: "pip@people.example" });
    expect(
      await check(await tokenWith({ session_id: decodeJwt(otherSession.access_token).session_id })),
    ).toEqual(sessionGone);
  });
});

test("jwks.json has public keys only and may be cached for ten minutes", async () => {
  const response = await fetch(`${origin}/auth/v1/.well-known/jwks.json`);
  expect(response.headers.get("cache-control")).toBe("public, max-age=600");
  const { x, y } = privateJwk;
  expect(await response.json()).toEqual({
    keys: [{ kty: "EC", crv: "P-256", x, y, kid, alg: "ES256", use: "sig" }],
  });
});
