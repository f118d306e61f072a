import { decodeJwt, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { ownReviews } from "../../src/domain/review-dto.ts";
import { type AccountsSite, call, type SessionAnswer, signIn, startAccountsSite } from "../support/accounts.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed } from "../support/site.ts";

let database: Database;
let world: AccountsSite;
let origin: string;
let session: SessionAnswer;
let privateJwk: JWK;
let kid: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await pretendRefreshed(database.db);
  world = await startAccountsSite(database.url);
  ({ origin } = world.site);
  session = await signIn(origin, "google", { email: "wren@people.example" });
  const keys = await database.db.selectFrom("signing_keys").selectAll().execute();
  ({ private_key: privateJwk, kid } = keys[0] ?? expect.fail());
});
afterAll(async () => {
  await world.close();
  await database.close();
});

const SECOND = 1;
const MINUTE = 60;
const now = () => Math.floor(Date.now() / 1000);

/** The session's token with other claims, signed with the server's own key unless another is given. */
async function tokenWith(claims: object, { key, header = {} }: { key?: CryptoKey | Uint8Array; header?: object } = {}) {
  const payload = { ...decodeJwt(session.access_token), ...claims };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "ES256", kid, typ: "JWT", ...header })
    .sign(key ?? (await importJWK(privateJwk, "ES256")));
}

/** What the server makes of a token: of the auth protocol, and of the API. */
async function opinions(token: string) {
  const user = await call(origin, "/user", { token });
  const mine = await world.site.api("/api/reviews/mine", { Authorization: `Bearer ${token}` });
  return [user.status, (await user.json()).code, mine.status, (await mine.json()).code];
}

const good = [200, undefined, 200, undefined];
const bad = [403, "bad_jwt", 401, "authentication_required"];
const gone = [403, "session_not_found", 401, "authentication_required"];

test("the server's own token is good, and says what the protocol promises", async () => {
  expect(await opinions(session.access_token)).toEqual(good);
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

describe("a token is refused", () => {
  test("with the algorithm none", async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const payload = encode(decodeJwt(session.access_token));
    for (const alg of ["none", "None", "NONE", ""]) {
      expect(await opinions(`${encode({ alg, kid, typ: "JWT" })}.${payload}.`)).toEqual(bad);
      expect(await opinions(`${encode({ alg, kid })}.${payload}.${session.access_token.split(".")[2]}`)).toEqual(bad);
    }
  });

  test("when a public key was taken for a secret", async () => {
    const { d: _, ...publicJwk } = privateJwk;
    const publicKey = await importJWK(publicJwk, "ES256", { extractable: true });
    if (publicKey instanceof Uint8Array) expect.fail();
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(publicJwk), publicJwk.x ?? ""]) {
      const key = new TextEncoder().encode(secret);
      expect(await opinions(await tokenWith({}, { key, header: { alg: "HS256" } }))).toEqual(bad);
    }
  });

  test("of an unknown key, a nameless key, or somebody else's key under our name", async () => {
    const { privateKey: key, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await crypto.subtle.exportKey("jwk", publicKey)) };
    expect(await opinions(await tokenWith({}, { key, header: { kid: "unknown" } }))).toEqual(bad);
    expect(await opinions(await tokenWith({}, { key, header: { kid: undefined } }))).toEqual(bad);
    expect(await opinions(await tokenWith({}, { header: { kid: undefined } }))).toEqual(bad);
    expect(await opinions(await tokenWith({}, { key }))).toEqual(bad);
    expect(await opinions(await tokenWith({}, { key, header: { jwk } }))).toEqual(bad);
    expect(await opinions(await tokenWith({}, { key, header: { jku: "http://127.0.0.1:9/keys" } }))).toEqual(bad);
  });

  test.each([
    ["another issuer", { iss: "https://evil.example/auth/v1" }],
    ["no issuer", { iss: undefined }],
    ["another audience", { aud: "anon" }],
    ["no audience", { aud: undefined }],
    ["no expiry", { exp: undefined }],
    ["no start", { iat: undefined }],
    ["no user", { sub: undefined }],
    ["a user that is none", { sub: "' or true --" }],
    ["no session", { session_id: undefined }],
    ["a session that is none", { session_id: 1 }],
    ["an expiry that is none", { exp: "tomorrow" }],
  ])("with %s", async (_what, claims) => {
    expect(await opinions(await tokenWith(claims))).toEqual(bad);
  });

  test.each(["", "x", "x.y.z", "..", "é.é.é", "null", "a".repeat(10_000)])("that is none: %#", async (token) => {
    const answer = await call(origin, "/user", { headers: { Authorization: `Bearer ${encodeURI(token)}` } });
    expect([401, 403]).toContain(answer.status);
  });

  test("without the word Bearer, or without anything", async () => {
    for (const Authorization of ["", session.access_token, `Basic ${session.access_token}`, "Bearer"]) {
      const answer = await call(origin, "/user", { headers: { Authorization } });
      expect([answer.status, (await answer.json()).code]).toEqual([401, "no_authorization"]);
    }
  });
});

describe("clocks may be a minute apart", () => {
  test.each([
    ["expired 50 seconds ago", -50 * SECOND, good],
    ["expired 70 seconds ago", -70 * SECOND, bad],
    ["expired a day ago", -24 * 60 * MINUTE, bad],
  ])("a token that %s", async (_what, offset, expected) => {
    const exp = now() + offset;
    expect(await opinions(await tokenWith({ exp, iat: exp - 60 * MINUTE }))).toEqual(expected);
  });

  test.each([
    ["in 50 seconds", 50 * SECOND, good],
    ["in 70 seconds", 70 * SECOND, bad],
  ])("a token that was issued %s", async (_what, offset, expected) => {
    const iat = now() + offset;
    expect(await opinions(await tokenWith({ iat, exp: iat + 60 * MINUTE }))).toEqual(expected);
  });
});

describe("a good token of a session that is no more is refused", () => {
  test("after signing out", async () => {
    const other = await signIn(origin, "github", { email: "pip@people.example" });
    await call(origin, "/logout", { token: other.access_token });
    expect(await opinions(other.access_token)).toEqual(gone);
  });

  test("after the user was deleted", async () => {
    const other = await signIn(origin, "github", { email: "gone@people.example" });
    await sql`delete from users where id = ${other.user.id}`.execute(database.db);
    expect(await opinions(other.access_token)).toEqual(gone);
  });

  test("when it names somebody else's session", async () => {
    const other = await signIn(origin, "github", { email: "pip@people.example" });
    expect(await opinions(await tokenWith({ session_id: decodeJwt(other.access_token).session_id }))).toEqual(gone);
  });
});

test("one's own reviews are one's own alone, newest first", async () => {
  const other = await signIn(origin, "github", { email: "pip@people.example" });
  await sql`insert into shows (id, title, year, status)
    select 'show-' || n, 'Show ' || n, 2025, 'active' from generate_series(1, 3) n`.execute(database.db);
  await sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at) values
    ('show-1', ${session.user.id}, 'yes', 'They sang to me', '2025-08-01T12:00:00Z'),
    ('show-2', ${session.user.id}, 'no', null, '2025-08-02T12:00:00Z'),
    ('show-3', ${other.user.id}, 'no', null, '2025-08-03T12:00:00Z')`.execute(database.db);
  const answer = await world.site.api("/api/reviews/mine", { Authorization: `Bearer ${session.access_token}` });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const user_id = session.user.id;
  expect(ownReviews.parse(await answer.json()).reviews).toEqual([
    { show_id: "show-2", user_id, audience_interaction: "no", notes: null, created_at: "2025-08-02T12:00:00.000Z" },
    {
      show_id: "show-1",
      user_id,
      audience_interaction: "yes",
      notes: "They sang to me",
      created_at: "2025-08-01T12:00:00.000Z",
    },
  ]);
});

test("the published keys are public ones, and may be kept for ten minutes", async () => {
  const answer = await fetch(`${origin}/auth/v1/.well-known/jwks.json`);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=600");
  const { x, y } = privateJwk;
  expect(await answer.json()).toEqual({ keys: [{ kty: "EC", crv: "P-256", x, y, kid, alg: "ES256", use: "sig" }] });
});
