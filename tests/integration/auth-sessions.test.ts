import fc from "fast-check";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthApi } from "../../src/auth/api/auth-api.server.ts";
import { decodeRefreshToken, encodeRefreshToken } from "../../src/auth/tokens/refresh-token.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import { parseConfig } from "../../src/config/environment.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import {
  type AccountsSite,
  call,
  readSession,
  refresh,
  type SessionAnswer,
  signIn,
  startAccountsSite,
} from "../support/accounts.ts";
import { whileThereIsTime } from "../support/fuzz/rounds.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { openRaw, statusesIn } from "../support/raw.ts";
import { startRelay } from "../support/relay.ts";
import { pretendRefreshed, type Site, startSite } from "../support/site.ts";

const wren = { email: "wren@people.example" };

let database: Database;
let world: AccountsSite;
/** A second server process on the same database, under the same origin. */
let second: Site;
let origin: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await pretendRefreshed(database.db);
  world = await startAccountsSite(database.url);
  ({ origin } = world.site);
  second = await startSite(world.variables);
});
afterAll(async () => {
  await second.end();
  await world.close();
  await database.close();
});

async function refreshed(from: string, token: string): Promise<SessionAnswer> {
  const answer = await refresh(from, token);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  return readSession(answer);
}

async function refusal(answer: Response): Promise<[number, string]> {
  return [answer.status, (await answer.json()).code];
}

function idOf(session: SessionAnswer): string {
  return decodeRefreshToken(session.refresh_token)?.sessionId ?? expect.fail();
}

/** So long ago was the session refreshed, for all that the database knows. */
async function pretendRefreshedAgo(session: SessionAnswer, seconds: number): Promise<void> {
  await sql`update sessions set refreshed_at = now() - make_interval(secs => ${seconds}) where id = ${idOf(session)}`.execute(
    database.db,
  );
}

async function exists(session: SessionAnswer): Promise<boolean> {
  const { rows } = await sql`select from sessions where id = ${idOf(session)}`.execute(database.db);
  return rows.length > 0;
}

const isGood = async ({ access_token: token }: SessionAnswer) =>
  (await call(origin, "/user", { token })).status === 200;

describe("refreshing", () => {
  test("gives the session's next tokens, for the same user and an hour", async () => {
    const session = await signIn(origin, "google", wren);
    const next = await refreshed(origin, session.refresh_token);
    expect(next.user).toEqual(session.user);
    expect(next.refresh_token).not.toBe(session.refresh_token);
    expect(idOf(next)).toBe(idOf(session));
    expect(Math.abs(next.expires_at - Date.now() / 1000 - 3600)).toBeLessThan(60);
    expect(await isGood(next)).toBe(true);
    expect(await refreshed(origin, next.refresh_token)).toMatchObject({ token_type: "bearer" });
  });

  test("again with the same token gives the same next one, however late: its answer was lost on the wire", async () => {
    const session = await signIn(origin, "github", wren);
    const lost = await refreshed(origin, session.refresh_token);
    await pretendRefreshedAgo(session, 3_600);
    const again = await refreshed(origin, session.refresh_token);
    expect(again.refresh_token).toBe(lost.refresh_token);
    expect((await refreshed(origin, again.refresh_token)).refresh_token).not.toBe(lost.refresh_token);
  });

  test("in many tabs at once, on two server processes, keeps all of them signed in", async () => {
    const session = await signIn(origin, "google", wren);
    for (let round = 0, token = session.refresh_token; round < 5; round++) {
      const tabs = [origin, second.origin, origin, second.origin, origin, second.origin];
      const answers = await Promise.all(tabs.map((site) => refreshed(site, token)));
      const tokens = new Set(answers.map(({ refresh_token }) => refresh_token));
      expect(tokens.size).toBe(1);
      [token = ""] = tokens;
      expect(await Promise.all(answers.map(isGood))).toEqual(tabs.map(() => true));
    }
  });

  test("with a token from before the last one is forgiven for ten seconds", async () => {
    const session = await signIn(origin, "google", wren);
    const last = await refreshed(origin, (await refreshed(origin, session.refresh_token)).refresh_token);
    await pretendRefreshedAgo(session, 8);
    expect((await refreshed(second.origin, session.refresh_token)).refresh_token).toBe(last.refresh_token);
  });

  test("with a token from before the last one, later, is theft: the session ends for everybody who has it", async () => {
    const session = await signIn(origin, "google", wren);
    const last = await refreshed(origin, (await refreshed(origin, session.refresh_token)).refresh_token);
    await pretendRefreshedAgo(session, 11);
    expect(await refusal(await refresh(origin, session.refresh_token))).toEqual([400, "refresh_token_already_used"]);
    expect(await exists(session)).toBe(false);
    expect(await refusal(await refresh(origin, last.refresh_token))).toEqual([400, "refresh_token_not_found"]);
    expect(await isGood(last)).toBe(false);
  });

  test("with what no server has written changes nothing", async () => {
    const session = await signIn(origin, "google", wren);
    const id = idOf(session);
    const { rows } = await sql<{ key: Buffer }>`select refresh_key as key from sessions where id = ${id}`.execute(
      database.db,
    );
    const key = rows[0]?.key ?? expect.fail();
    const forged = [
      encodeRefreshToken(id, 0n, Buffer.alloc(32)),
      encodeRefreshToken(id, 1n, key), // a count that is yet to come
      encodeRefreshToken("6f1c2f60-52a1-4c6e-9b0e-0a4a5f3f7b11", 0n, key),
      session.refresh_token.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      session.refresh_token.toUpperCase(),
      session.access_token,
      "",
      "\0",
    ];
    for (const token of forged) {
      expect(await refusal(await refresh(origin, token))).toEqual([400, "refresh_token_not_found"]);
    }
    await refreshed(origin, session.refresh_token);
  });

  test("a session that went unused for too long is over", async () => {
    const session = await signIn(origin, "google", wren);
    const { rows } = await sql<{ days: number }>`
      select extract(day from expires_at - created_at)::integer as days from sessions where id = ${idOf(session)}`.execute(
      database.db,
    );
    expect(rows).toEqual([{ days: 90 }]);
    await sql`update sessions set expires_at = now() where id = ${idOf(session)}`.execute(database.db);
    expect(await refusal(await refresh(origin, session.refresh_token))).toEqual([400, "session_expired"]);
    expect(await isGood(session)).toBe(false);
  });

  test("during sign-out ends as signed out, whichever came first", async () => {
    for (let round = 0; round < 20; round++) {
      const session = await signIn(origin, "google", wren);
      const [answer, out] = await Promise.all([
        refresh(second.origin, session.refresh_token),
        call(origin, "/logout?scope=global", { token: session.access_token }),
      ]);
      expect(out.status).toBe(204);
      expect([200, 400]).toContain(answer.status);
      expect(await exists(session)).toBe(false);
      const { refresh_token = session.refresh_token } = await answer.json();
      expect(await refusal(await refresh(origin, refresh_token))).toEqual([400, "refresh_token_not_found"]);
    }
  });

  test("is answered 503 while another transaction holds the session, and works afterwards", async () => {
    const session = await signIn(origin, "google", wren);
    await database.db.transaction().execute(async (trx) => {
      await sql`select from sessions where id = ${idOf(session)} for update`.execute(trx);
      const answer = await refresh(origin, session.refresh_token);
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(await refusal(answer)).toEqual([503, "unavailable"]);
    });
    await refreshed(origin, session.refresh_token);
  });

  test("any run of old and new tokens, in time and late, follows the rule", async () => {
    const steps = fc.array(fc.record({ back: fc.nat(4), late: fc.boolean() }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        whileThereIsTime(async (run) => {
          const session = await signIn(origin, "google", wren);
          const tokens = [session.refresh_token];
          let isLate = false;
          for (const { back, late } of run) {
            if (late) await pretendRefreshedAgo(session, 60);
            isLate ||= late;
            const age = Math.min(back, tokens.length - 1);
            const answer = await refresh(origin, tokens[tokens.length - 1 - age] ?? "");
            if (age > 1 && isLate) {
              expect(await refusal(answer)).toEqual([400, "refresh_token_already_used"]);
              expect(await exists(session)).toBe(false);
              return;
            }
            const { refresh_token } = await readSession(answer);
            if (age === 0) {
              tokens.push(refresh_token);
              isLate = false;
            }
            expect(refresh_token).toBe(tokens.at(-1));
            expect(tokens.indexOf(refresh_token)).toBe(tokens.length - 1);
          }
        }),
      ),
      { numRuns: 40 },
    );
  });
});

describe("a token request that makes no sense", () => {
  test.each([
    ["no grant", "/token", {}, [400, "validation_failed"]],
    ["another grant", "/token?grant_type=password", { email: "a", password: "b" }, [400, "validation_failed"]],
    ["no JSON", "/token?grant_type=refresh_token", "refresh_token=abc", [400, "bad_json"]],
    ["an empty body", "/token?grant_type=refresh_token", "", [400, "bad_json"]],
    ["null", "/token?grant_type=refresh_token", "null", [400, "validation_failed"]],
    ["a missing token", "/token?grant_type=refresh_token", {}, [400, "validation_failed"]],
    ["a number for a token", "/token?grant_type=refresh_token", { refresh_token: 7 }, [400, "validation_failed"]],
    ["a missing verifier", "/token?grant_type=pkce", { auth_code: "abc" }, [400, "validation_failed"]],
    [
      "an unknown code",
      "/token?grant_type=pkce",
      { auth_code: "abc", code_verifier: "def" },
      [404, "flow_state_not_found"],
    ],
    [
      "too much",
      "/token?grant_type=pkce",
      { auth_code: "a".repeat(10_000_000), code_verifier: "def" },
      [413, "request_too_large"],
    ],
  ])("%s is refused with its code", async (_what, path, body, expected) => {
    expect(await refusal(await call(origin, path, { body }))).toEqual(expected);
  });
});

test("after a token request that was too large the same connection takes the next one", async () => {
  const { refresh_token } = await signIn(origin, "google", wren);
  const { socket, receives } = await openRaw(origin);
  const post = (body: string) => {
    const head = ["POST /auth/v1/token?grant_type=refresh_token HTTP/1.1", "Host: x", "apikey: front-row-public"];
    socket.write([...head, `Content-Length: ${body.length}`, "", body].join("\r\n"));
  };
  post("a".repeat(1_000_000));
  await receives(1);
  post(JSON.stringify({ refresh_token }));
  expect(statusesIn(await receives(2))).toEqual([413, 200]);
  socket.destroy();
});

describe("signing out", () => {
  async function threeSessions() {
    const other = await signIn(origin, "google", { email: "pip@people.example" });
    const sessions = await Promise.all(
      [1, 2, 3].map(() => signIn(origin, "google", { email: "three@people.example" })),
    );
    return { sessions, other };
  }

  test.each([
    ["", [false, false, false]],
    ["?scope=global", [false, false, false]],
    ["?scope=local", [false, true, true]],
    ["?scope=others", [true, false, false]],
  ])("with %j leaves of three sessions %j, and nobody else's is touched", async (query, expected) => {
    const { sessions, other } = await threeSessions();
    const answer = await call(origin, `/logout${query}`, { token: sessions[0]?.access_token });
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(await Promise.all(sessions.map(isGood))).toEqual(expected);
    expect(await Promise.all(sessions.map(exists))).toEqual(expected);
    expect(await isGood(other)).toBe(true);
    await call(origin, "/logout", { token: sessions.find((_, index) => expected[index])?.access_token ?? "" });
  });

  test("with another scope is refused", async () => {
    const session = await signIn(origin, "google", wren);
    const answer = await call(origin, "/logout?scope=everybody", { token: session.access_token });
    expect(await refusal(answer)).toEqual([400, "validation_failed"]);
    expect(await isGood(session)).toBe(true);
  });

  test("again, or without a token, is refused with what the client takes for signed out", async () => {
    const { access_token: token } = await signIn(origin, "google", wren);
    expect((await call(origin, "/logout", { token })).status).toBe(204);
    expect(await refusal(await call(origin, "/logout", { token }))).toEqual([403, "session_not_found"]);
    expect(await refusal(await call(origin, "/logout"))).toEqual([401, "no_authorization"]);
    expect(await refusal(await call(origin, "/logout", { token: "x.y.z" }))).toEqual([403, "bad_jwt"]);
  });
});

describe("the form of answers", () => {
  test("an error has its code as a word where the version is asked for, which is echoed", async () => {
    const answer = await call(origin, "/user");
    expect(answer.headers.get("x-supabase-api-version")).toBe("2024-01-01");
    expect(await answer.json()).toEqual({ code: "no_authorization", message: expect.any(String) });
  });

  test.each(["", "2023-12-31", "latest"])("with the version %j it has the status", async (version) => {
    const answer = await call(origin, "/user", { headers: { "X-Supabase-Api-Version": version } });
    expect(answer.headers.has("x-supabase-api-version")).toBe(false);
    expect(await answer.json()).toEqual({ code: 401, error_code: "no_authorization", msg: expect.any(String) });
  });

  test.each(["/user", "/settings", "/token", "/logout", "/nothing"])("%s wants the public client key", async (path) => {
    for (const apikey of ["", "wrong"]) {
      expect(await refusal(await call(origin, path, { headers: { apikey } }))).toEqual([401, "invalid_client_key"]);
    }
  });

  test("health and settings tell what there is", async () => {
    expect(await (await fetch(`${origin}/auth/v1/health`)).json()).toMatchObject({ version: expect.any(String) });
    expect(await (await call(origin, "/settings")).json()).toMatchObject({ external: { google: true, github: true } });
  });

  test("an address where nothing is answers 404 as JSON", async () => {
    expect(await refusal(await call(origin, "/signup", { body: {} }))).toEqual([404, "not_found"]);
  });
});

test("a server that has just started refreshes many sessions at once, more than it has connections", async () => {
  const people = Array.from({ length: 30 }, (_, index) => ({ email: `rush-${index}@people.example` }));
  const sessions = await Promise.all(people.map((person) => signIn(origin, "google", person)));
  const { routes } = createAuthApi({
    db: database.db,
    signingKeys: createSigningKeys(database.db),
    ...parseConfig({ ORIGIN: origin }),
    recordSignIn: () => {},
    createRateCounter: () => async () => 0,
    log: pino({ level: "silent" }),
  });
  const somewhere = { incoming: { socket: {}, headers: {} } };
  const answers = await Promise.all(
    sessions.map(({ refresh_token }) => {
      const body = JSON.stringify({ refresh_token });
      const request = { method: "POST", headers: { apikey: "front-row-public" }, body };
      return routes.request("/token?grant_type=refresh_token", request, somewhere);
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
});

test("every answer comes, however slow the database", async () => {
  const session = await signIn(origin, "google", wren);
  const { access_token: token } = session;
  await database.db.transaction().execute(async (trx) => {
    await sql`lock table sessions in access exclusive mode`.execute(trx);
    const answers = await Promise.all([
      call(origin, "/user", { token }),
      call(origin, "/logout?scope=others", { token }),
      refresh(origin, session.refresh_token),
      world.site.api("/api/reviews/mine", { Authorization: `Bearer ${token}` }),
    ]);
    for (const answer of answers) expect(await refusal(answer)).toEqual([503, "unavailable"]);
  });
  expect(await isGood(session)).toBe(true);
});

test("sessions outlive kill -9 and a restart of the server", async () => {
  const own = await startAccountsSite(database.url);
  const session = await signIn(own.site.origin, "github", wren);
  await own.site.end("SIGKILL");
  const again = await startSite({ ...own.variables, PORT: new URL(own.site.origin).port });
  expect((await call(own.site.origin, "/user", { token: session.access_token })).status).toBe(200);
  await refreshed(own.site.origin, session.refresh_token);
  await again.end();
  await own.close();
});

test("while the database is away every session is told to try again later, and goes on afterwards", async () => {
  const proxy = await startRelay(database.url);
  const own = await startAccountsSite(proxy.url);
  const from = own.site.origin;
  const session = await signIn(from, "google", wren);
  proxy.cut();
  const { access_token: token } = session;
  expect(await refusal(await refresh(from, session.refresh_token))).toEqual([503, "unavailable"]);
  expect(await refusal(await call(from, "/user", { token }))).toEqual([503, "unavailable"]);
  expect(await refusal(await call(from, "/logout", { token }))).toEqual([503, "unavailable"]);
  const mine = await own.site.api("/api/reviews/mine", { Authorization: `Bearer ${token}` });
  expect(await refusal(mine)).toEqual([503, "unavailable"]);
  const keys = await fetch(`${from}/auth/v1/.well-known/jwks.json`);
  expect(keys.status).toBe(200);
  const { location } = Object.fromEntries(
    (await fetch(`${from}/auth/v1/callback?state=${"a".repeat(43)}`, { redirect: "manual" })).headers,
  );
  expect(new URL(location ?? "").searchParams.get("error")).toBe("server_error");
  proxy.restore();
  await refreshed(from, session.refresh_token);
  await own.close();
  await proxy.close();
});
