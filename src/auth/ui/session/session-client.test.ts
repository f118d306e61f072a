import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { memoryStorage } from "../../../../tests/support/memory-storage.ts";
import { type Provider, providers } from "../../../domain/account.ts";
import { createAuthFetch } from "./auth-fetch.ts";
import { AuthClient } from "./auth-js-client.ts";
import { createSessionClient } from "./session-client.ts";
import { readStored, SESSION_KEY } from "./session-store.ts";

const user = { id: "7d5c", email: "isla@visitors.example" };
const session = {
  access_token: "header.payload.signature",
  refresh_token: "r1",
  token_type: "bearer",
  expires_in: 3600,
  expires_at: Math.floor(Date.now() / 1000) + 3600,
  user,
};

const expiredSession = { ...session, expires_at: 1 };
const freshSession = { ...session, access_token: "fresh.payload.signature", refresh_token: "r2" };
/** Answers 204 unless `respond` returns a response. */
interface FakeServer {
  stored?: object | undefined;
  respond?: (request: Request) => Response | Promise<Response> | false;
}

function setUp({ stored, respond }: FakeServer, autoRefreshToken = false) {
  const storage = memoryStorage();
  if (stored) storage.setItem(SESSION_KEY, JSON.stringify(stored));
  const page = new EventTarget();
  const network = { loads: 0, requests: [] as string[] };
  const fakeFetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    network.requests.push(`${request.method} ${new URL(request.url).pathname}`);
    return respond?.(request) || new Response(null, { status: 204 });
  };
  const discarded: string[] = [];
  const client = createSessionClient({
    storage: () => storage,
    discardUserData: (userId) => void discarded.push(userId),
    loadAuth: async (onAccountEnd) => {
      network.loads++;
      return new AuthClient({
        url: "http://localhost/auth/v1",
        storageKey: SESSION_KEY,
        flowType: "pkce",
        autoRefreshToken,
        detectSessionInUrl: false,
        storage,
        fetch: createAuthFetch(fakeFetch, {
          storedSession: () => readStored(storage.getItem(SESSION_KEY)),
          onAccountEnd: (end, userId) => onAccountEnd({ title: end, description: "" }, userId),
        }),
      });
    },
  });
  return { client, storage, page, network, discarded };
}

/** The event that other tabs get after an entry changed; `key` is null if all were removed. */
function storageEvent(key: string | null): Event {
  return Object.assign(new Event("storage"), { key });
}

test.each([undefined, session])("auth-js is loaded once, and only with a session (%#)", async (stored) => {
  const { client, page, network } = setUp({ stored });
  const stop = client.watch(page);
  page.dispatchEvent(new Event("pageshow"));
  page.dispatchEvent(storageEvent(SESSION_KEY));
  expect(client.current()).toEqual(stored ? { status: "signed-in", user } : { status: "signed-out" });
  if (!stored) expect(await client.accessToken()).toBeNull();
  expect(network.loads).toBe(stored ? 1 : 0);
  stop();
});

test.each([
  '{"access_token":',
  '"hello"',
  "null",
  JSON.stringify({ ...session, user: null }),
  JSON.stringify({ user }),
])("%s in storage is signed out; else the state is the same object while the text is the same", (text) => {
  const { client, storage } = setUp({ stored: session });
  expect(client.current()).toBe(client.current());
  storage.setItem(SESSION_KEY, text);
  expect(client.current()).toEqual({ status: "signed-out" });
});

test.each([
  ["with the stored verifier", undefined, 204, []],
  ["then the session before ends", session, 204, [{ refresh_token: "r1" }]],
  ["then the session before is to end, which fails", session, 503, [{ refresh_token: "r1" }]],
])("a code is exchanged, %s", async (_, stored, status, more) => {
  const bodies: object[] = [];
  const tokens: Promise<string | null>[] = [];
  const { client, storage } = setUp({
    stored,
    async respond(request) {
      tokens.push(client.accessToken());
      // The new session is stored by then: a refused request of the old one does not end it.
      bodies.push([await request.json(), storage.getItem(SESSION_KEY)?.includes("fresh.payload") ?? false]);
      return request.url.includes("/token") ? Response.json(freshSession) : new Response(null, { status });
    },
  });
  storage.setItem(`${SESSION_KEY}-code-verifier`, JSON.stringify("v".repeat(56)));
  await client.finishSignIn("code-1");
  const exchange = { auth_code: "code-1", code_verifier: "v".repeat(56) };
  await vi.waitFor(() => expect(bodies).toEqual([[exchange, false], ...more.map((body) => [body, true])]));
  expect(await tokens[0]).toBe(freshSession.access_token);
  expect(client.current()).toEqual({ status: "signed-in", user });
});

test.each([
  [1, "signed-in"],
  [2, "signed-out"],
])("an exchange without a response is sent again once, unchanged (lost: %i)", async (losses, status) => {
  vi.useFakeTimers();
  const bodies: string[] = [];
  const { client, storage } = setUp({
    async respond(request) {
      bodies.push(await request.text());
      if (bodies.length <= losses) throw new TypeError("Failed to fetch");
      return Response.json(session);
    },
  });
  storage.setItem(`${SESSION_KEY}-code-verifier`, JSON.stringify("v".repeat(56)));
  await afterRetries(client.finishSignIn("code-1"));
  vi.useRealTimers();
  expect(bodies).toEqual([bodies[0], bodies[0]]);
  expect(client.current().status).toBe(status);
});

test("after a sign-out the provider asks for the account, and for a proof of who it is", async () => {
  const { client, storage } = setUp({
    stored: session,
    respond: ({ url }) => url.includes("/token") && Response.json(session),
  });
  const promptOf = async (provider: Provider) =>
    new URL((await client.beginSignIn(provider, "http://localhost")).url).searchParams.get("prompt");
  expect(await promptOf("google")).toBeNull();
  await client.signOut();
  for (const provider of providers) expect(await promptOf(provider)).toBe("select_account");
  const { url } = await client.beginSignIn("google", "http://localhost", true);
  expect(new URL(url).searchParams.get("max_age")).toBe("300");
  await client.finishSignIn("code-1");
  storage.removeItem(SESSION_KEY); // ended without Sign Out
  expect(await promptOf("google")).toBeNull();
});

test("a code is exchanged with the verifier of its own attempt, even if a later one began", async () => {
  const verifiers: string[] = [];
  const { client, storage } = setUp({
    async respond(request) {
      if (request.url.includes("/token")) verifiers.push((await request.json()).code_verifier);
      return Response.json(session);
    },
  });
  const ids = ["first-0001", "second-002", "third-0003"];
  for (const id of ids)
    storage.setItem(`${SESSION_KEY}-flow-${id}-code-verifier`, JSON.stringify(`${id}-verifier`));
  storage.setItem(`${SESSION_KEY}-code-verifier`, JSON.stringify("third-0003-verifier"));
  for (const id of ids) {
    const before = [...verifiers];
    await client.finishSignIn(`code of ${id}`, id);
    expect(verifiers).toEqual([...before, `${id}-verifier`]);
  }
  // Without this browser's verifier, the session stays.
  for (const id of ["unknown-04", undefined])
    await expect(client.finishSignIn("code", id)).rejects.toThrow(/verifier/);
  expect(client.current()).toEqual({ status: "signed-in", user });
  expect(verifiers).toHaveLength(ids.length);
});

test("an access token is used without a request until it expires or the server refuses it", async () => {
  const respond = () => Response.json(freshSession);
  const expired = setUp({ stored: expiredSession, respond });
  expect(await expired.client.accessToken()).toBe(freshSession.access_token);
  const refused = setUp({ stored: session, respond });
  expect(await refused.client.accessToken()).toBe(session.access_token);
  expect(await refused.client.renewToken()).toBe(freshSession.access_token);
  expect(refused.network.requests).toEqual(["POST /auth/v1/token"]);
});

function serverError(status: number, code: string): Response {
  const headers = { "X-Supabase-Api-Version": "2024-01-01" };
  return Response.json({ code, message: "No." }, { status, headers });
}

const page = (status: number) =>
  new Response("<title>Just a moment...</title>", { status, headers: { "Content-Type": "text/html" } });

async function afterRetries<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const settled = Promise.allSettled([promise]);
  await vi.advanceTimersByTimeAsync(30_000);
  return (await settled)[0];
}

describe("a refresh", () => {
  // auth-js warns of each refresh that fails for now.
  beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue());
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test("of a refused token that is refused, too, ends the session in the browser", async () => {
    const respond = (request: Request) =>
      /refresh_token/.test(request.url)
        ? serverError(400, "session_expired")
        : serverError(403, "session_not_found");
    const { client } = setUp({ stored: session, respond });
    expect(await client.renewToken()).toBeNull();
    expect(client.current()).toEqual({ status: "signed-out" });
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["a bot check's page with 200", () => page(200)],
    ["a firewall's JSON with a code", () => Response.json({ code: "session_expired" }, { status: 401 })],
    ["an empty 200", () => new Response(null, { status: 200 })],
    ["JSON that is no session", () => Response.json({ status: "ok" })],
    ["a session without a user", () => Response.json({ ...freshSession, user: null })],
    ["the server's error about the client key", () => serverError(401, "invalid_api_key")],
    ["the server's error about the request", () => serverError(400, "validation_failed")],
    ["a connection that breaks in the body", () => brokenBody(400)],
    ["a connection that breaks", () => Promise.reject(new TypeError("Failed to fetch"))],
  ])("answered by %s keeps the session, and is repeated at once when it is needed", async (_, respond) => {
    vi.useFakeTimers();
    const network = { respond };
    const { client, storage } = setUp({ stored: expiredSession, respond: () => network.respond() });
    expect(await afterRetries(client.accessToken())).toMatchObject({ status: "rejected" });
    expect(await afterRetries(client.renewToken())).toMatchObject({ status: "rejected" });
    expect(client.current()).toEqual({ status: "signed-in", user });
    expect(client.endToast()).toBeNull();
    expect(JSON.parse(storage.getItem(SESSION_KEY) ?? "")).toEqual(expiredSession);
    network.respond = () => Response.json(freshSession);
    expect(await client.accessToken()).toBe(freshSession.access_token);
    // For a sign-out, too.
    storage.setItem(SESSION_KEY, JSON.stringify(expiredSession));
    network.respond = respond;
    expect(await afterRetries(client.accessToken())).toMatchObject({ status: "rejected" });
    network.respond = () => Response.json(freshSession);
    await client.signOut();
    expect(client.current()).toEqual({ status: "signed-out" });
  });

  test.each([-24, 0, 0.9, 1, 24])("comes once an hour where the clock is %d hours fast", async (fast) => {
    vi.useFakeTimers();
    const serverTime = () => Date.now() / 1000 - fast * 3600;
    const sessionNow = (access_token: string) => {
      return { ...session, access_token, expires_at: Math.floor(serverTime()) + 3600 };
    };
    let served = sessionNow("a.0.b");
    let refreshes = 0;
    const respond = ({ url }: Request) => {
      if (!url.includes("refresh_token")) return false;
      refreshes++;
      served = sessionNow(`a.${refreshes}.b`);
      return Response.json(served);
    };
    const { client, storage } = setUp({ respond, stored: served }, true);
    storage.setItem(SESSION_KEY, JSON.stringify({ ...served, expires_at: 1 }));
    onTestFinished(client.watch(new EventTarget()));
    for (let minute = 0; minute < 300; minute++) {
      await vi.advanceTimersByTimeAsync(60_000);
      if (minute < 2) continue;
      expect(await client.accessToken()).toBe(served.access_token);
      expect(served.expires_at).toBeGreaterThan(serverTime());
    }
    expect(refreshes).toBeGreaterThan(3);
    expect(refreshes).toBeLessThan(8);
    const { expires_at, expires_in } = JSON.parse(storage.getItem(SESSION_KEY) ?? "");
    expect([typeof expires_at, expires_in]).toEqual(["number", 3600]);
  });

  test("that another tab was faster with leads to that tab's session", async () => {
    const { client, storage } = setUp({
      stored: expiredSession,
      respond: () => {
        storage.setItem(SESSION_KEY, JSON.stringify({ ...freshSession, refresh_token: "r3" }));
        return Response.json(freshSession);
      },
    });
    expect(await client.accessToken()).toBe(freshSession.access_token);
    expect(client.current().status).toBe("signed-in");
  });
});

test.each([
  ["user_banned", "banned"],
  ["user_not_found", "deleted"],
  ["refresh_token_not_found", null],
])("a refresh refused with %s ends the session, and says of the account: %s", async (code, end) => {
  const authorizations: (string | null)[] = [];
  const { client, storage, page, discarded } = setUp({
    stored: expiredSession,
    respond(request) {
      if (!request.url.includes("refresh_token")) return Response.json(freshSession);
      authorizations.push(request.headers.get("Authorization"));
      return serverError(400, code);
    },
  });
  const seen: unknown[] = [];
  client.subscribe(() => seen.push([client.current().status, client.endToast()?.title ?? null]));
  expect(client.endToast()).toBeNull();
  expect(await client.accessToken()).toBeNull();
  expect(authorizations).toEqual([`Bearer ${session.access_token}`]);
  expect(seen.at(-1)).toEqual(["signed-out", end]);
  expect([discarded, storage.getItem("front-row-signed-out")]).toEqual(end ? [[user.id], "1"] : [[], null]);
  const stop = client.watch(page);
  storage.setItem(SESSION_KEY, JSON.stringify(freshSession));
  page.dispatchEvent(storageEvent(SESSION_KEY));
  storage.removeItem(SESSION_KEY);
  // Back shows a frozen page, which got no event.
  page.dispatchEvent(new Event("pageshow"));
  expect(seen.slice(-2)).toEqual([
    ["signed-in", null],
    ["signed-out", null],
  ]);
  stop();
});

test.each<[string, () => Response, boolean]>([
  ["204", () => new Response(null, { status: 204 }), true],
  ["the server's error that the session is over", () => serverError(403, "session_not_found"), true],
  ["a captive portal's page", () => page(200), false],
  ["a bot check's 403", () => page(403), false],
  ["a proxy's JSON with 401", () => Response.json({ error: "login" }, { status: 401 }), false],
])("a sign-out answered by %s ends the session or fails", async (_, respond, ends) => {
  const { client, network, discarded } = setUp({ stored: session, respond });
  if (ends) await client.signOut();
  else await expect(client.signOut()).rejects.toThrow();
  expect(network.requests[0]).toBe("POST /auth/v1/logout");
  expect(client.current().status).toBe(ends ? "signed-out" : "signed-in");
  expect(discarded).toEqual(ends ? [user.id] : []);
});

test("a sign-out in another tab removes what this tab keeps of the account, and nothing of the next one's", () => {
  const { client, storage, page, discarded } = setUp({ stored: session });
  onTestFinished(client.watch(page));
  const change = (key: string, text: string | null) => {
    if (text === null) storage.removeItem(key);
    else storage.setItem(key, text);
    page.dispatchEvent(storageEvent(key));
  };
  change(SESSION_KEY, null);
  expect(discarded).toEqual([]);
  change("front-row-signed-out", "1");
  expect(discarded).toEqual([user.id]);
  change("front-row-signed-out", null);
  change(SESSION_KEY, JSON.stringify({ ...session, user: { ...user, id: "u2" } }));
  // A frozen tab gets this event late.
  page.dispatchEvent(storageEvent("front-row-signed-out"));
  expect(discarded).toEqual([user.id]);
});

function brokenBody(status: number): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"code":"refresh_'));
      controller.error(new TypeError("network error"));
    },
  });
  return new Response(body, { status });
}
