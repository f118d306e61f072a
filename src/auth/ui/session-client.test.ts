import { GoTrueClient } from "@supabase/auth-js";
import { expect, test } from "vitest";
import { createSessionClient } from "./session-client.ts";
import { SESSION_KEY } from "./session-store.ts";

const user = { id: "7d5c", email: "isla@visitors.example" };
const session = {
  access_token: "header.payload.signature",
  refresh_token: "r1",
  token_type: "bearer",
  expires_in: 3600,
  expires_at: Math.floor(Date.now() / 1000) + 3600,
  user,
};

/** The real auth-js over memory and a server that answers as the test says; every load of it is counted. */
function setUp({ stored, answer }: { stored?: object; answer?: (request: Request) => Response }) {
  const storage = memory();
  if (stored) storage.setItem(SESSION_KEY, JSON.stringify(stored));
  const page = new EventTarget();
  const reported: string[] = [];
  const network = { loads: 0, down: false, asked: [] as string[] };
  const client = createSessionClient({
    storage: () => storage,
    reportError: (what) => reported.push(what),
    loadAuth: async () => {
      network.loads++;
      if (network.down) throw new TypeError("Failed to fetch dynamically imported module");
      return new GoTrueClient({
        url: "http://localhost/auth/v1",
        storageKey: SESSION_KEY,
        flowType: "pkce",
        autoRefreshToken: false,
        detectSessionInUrl: false,
        storage,
        fetch: async (input, init) => {
          const request = new Request(input, init);
          network.asked.push(`${request.method} ${new URL(request.url).pathname}`);
          return answer?.(request) ?? new Response(null, { status: 204 });
        },
      });
    },
  });
  return { client, storage, page, network, reported };
}

function memory() {
  const entries = new Map<string, string>();
  return {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, text: string) => void entries.set(key, text),
    removeItem: (key: string) => void entries.delete(key),
  };
}

/** What a browser sends to the other tabs when an entry has changed; null when all were removed. */
function storageEvent(key: string | null): Event {
  return Object.assign(new Event("storage"), { key });
}

test("for somebody signed out nothing is loaded", () => {
  const { client, page, network } = setUp({});
  const stop = client.watch(page);
  page.dispatchEvent(new Event("pageshow"));
  expect(client.current()).toEqual({ status: "signed-out" });
  expect(network.loads).toBe(0);
  stop();
});

test("for somebody signed in auth-js is loaded once, however often they come back", () => {
  const { client, page, network } = setUp({ stored: session });
  const stop = client.watch(page);
  page.dispatchEvent(new Event("pageshow"));
  page.dispatchEvent(storageEvent(SESSION_KEY));
  expect(client.current()).toEqual({ status: "signed-in", user });
  expect(network.loads).toBe(1);
  stop();
});

test("another tab's signing in and out is seen here, until one stops watching", () => {
  const { client, storage, page, network } = setUp({});
  const seen: string[] = [];
  client.subscribe(() => seen.push(client.current().status));
  const stop = client.watch(page);
  seen.length = 0;
  storage.setItem(SESSION_KEY, JSON.stringify(session));
  page.dispatchEvent(storageEvent("something-else"));
  expect(seen).toEqual([]);
  page.dispatchEvent(storageEvent(SESSION_KEY));
  expect(network.loads).toBe(1);
  storage.removeItem(SESSION_KEY);
  page.dispatchEvent(storageEvent(null));
  stop();
  page.dispatchEvent(storageEvent(SESSION_KEY));
  expect(seen).toEqual(["signed-in", "signed-out"]);
});

test("a code without the verifier of this browser is no sign-in, and a session stays", async () => {
  const { client, network } = setUp({ stored: session });
  await expect(client.finishSignIn("someone-elses")).rejects.toThrow(/verifier/);
  expect(client.current()).toEqual({ status: "signed-in", user });
  expect(network.asked).toEqual([]);
});

test("a code becomes a session with the verifier that was kept for it", async () => {
  const { client, storage, network } = setUp({ answer: () => Response.json(session) });
  const statuses: string[] = [];
  client.subscribe(() => statuses.push(client.current().status));
  storage.setItem(`${SESSION_KEY}-code-verifier`, JSON.stringify("v".repeat(56)));
  await client.finishSignIn("code-1");
  expect(network.asked).toEqual(["POST /auth/v1/token"]);
  expect(client.current()).toEqual({ status: "signed-in", user });
  expect(statuses.at(-1)).toBe("signed-in");
});

test("signing out tells the server, then nobody is signed in", async () => {
  const { client, network } = setUp({ stored: session });
  await client.signOut();
  expect(network.asked).toEqual(["POST /auth/v1/logout"]);
  expect(client.current()).toEqual({ status: "signed-out" });
});

test("when the server cannot be told of a sign-out the session stays", async () => {
  const { client } = setUp({ stored: session, answer: () => Response.json({ code: "down" }, { status: 503 }) });
  await expect(client.signOut()).rejects.toThrow();
  expect(client.current()).toEqual({ status: "signed-in", user });
});

test("auth-js that did not come is asked for again", async () => {
  const { client, page, network, reported } = setUp({ stored: session });
  network.down = true;
  const stop = client.watch(page);
  await expect(client.signOut()).rejects.toThrow("Failed to fetch");
  await expect.poll(() => reported).toEqual(["The session cannot be kept fresh:"]);
  expect(client.current()).toEqual({ status: "signed-in", user });
  network.down = false;
  await client.signOut();
  expect(client.current()).toEqual({ status: "signed-out" });
  stop();
});

test("nobody has no access token, and nothing is loaded to find that out", async () => {
  const { client, network } = setUp({});
  expect(await client.accessToken()).toBeNull();
  expect(network.loads).toBe(0);
});

test("an access token that is good for longer is used without asking the server", async () => {
  const { client, network } = setUp({ stored: session });
  expect(await client.accessToken()).toBe(session.access_token);
  expect(network.asked).toEqual([]);
});

test("an access token that has run out is refreshed, and so is one that the server refused", async () => {
  const fresh = { ...session, access_token: "fresh.payload.signature", refresh_token: "r2" };
  const worn = setUp({ stored: { ...session, expires_at: 1 }, answer: () => Response.json(fresh) });
  expect(await worn.client.accessToken()).toBe(fresh.access_token);
  const refused = setUp({ stored: session, answer: () => Response.json(fresh) });
  expect(await refused.client.renewToken()).toBe(fresh.access_token);
  expect(refused.network.asked).toEqual(["POST /auth/v1/token"]);
});

test("a session that the server does not refresh any more is over here, too", async () => {
  const answer = () => Response.json({ code: 400, error_code: "refresh_token_not_found" }, { status: 400 });
  const ended = setUp({ stored: session, answer: (request) => (/token/.test(request.url) ? answer() : notFound()) });
  expect(await ended.client.renewToken()).toBeNull();
  expect(ended.client.current()).toEqual({ status: "signed-out" });
  const worn = setUp({ stored: { ...session, expires_at: 1 }, answer });
  expect(await worn.client.accessToken()).toBeNull();
});

function notFound(): Response {
  return Response.json({ code: 403, error_code: "session_not_found" }, { status: 403 });
}
