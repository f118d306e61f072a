import { GoTrueClient } from "@supabase/auth-js";
import { expect, test, vi } from "vitest";
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

/** The real auth-js over storage in memory and a fake server. Counts loads of auth-js and requests. */
function setUp({ stored, respond }: { stored?: object; respond?: (request: Request) => Response | Promise<Response> }) {
  const storage = memory();
  if (stored) storage.setItem(SESSION_KEY, JSON.stringify(stored));
  const page = new EventTarget();
  const reported: string[] = [];
  const network = { loads: 0, down: false, requests: [] as string[] };
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
          network.requests.push(`${request.method} ${new URL(request.url).pathname}`);
          return (await respond?.(request)) ?? new Response(null, { status: 204 });
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

/** The event that other tabs get after an entry changed; `key` is null if all were removed. */
function storageEvent(key: string | null): Event {
  return Object.assign(new Event("storage"), { key });
}

test("auth-js is not loaded without a session", () => {
  const { client, page, network } = setUp({});
  const stop = client.watch(page);
  page.dispatchEvent(new Event("pageshow"));
  expect(client.current()).toEqual({ status: "signed-out" });
  expect(network.loads).toBe(0);
  stop();
});

test("auth-js is loaded once with a session, however often the page is shown again", () => {
  const { client, page, network } = setUp({ stored: session });
  const stop = client.watch(page);
  page.dispatchEvent(new Event("pageshow"));
  page.dispatchEvent(storageEvent(SESSION_KEY));
  expect(client.current()).toEqual({ status: "signed-in", user });
  expect(network.loads).toBe(1);
  stop();
});

test("a sign-in and a sign-out in another tab are followed until watching stops", () => {
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

test("a code without this browser's verifier is refused, and an existing session stays", async () => {
  const { client, network } = setUp({ stored: session });
  await expect(client.finishSignIn("someone-elses")).rejects.toThrow(/verifier/);
  expect(client.current()).toEqual({ status: "signed-in", user });
  expect(network.requests).toEqual([]);
});

test("a code is exchanged for a session with the stored verifier", async () => {
  const { client, storage, network } = setUp({ respond: () => Response.json(session) });
  const statuses: string[] = [];
  client.subscribe(() => statuses.push(client.current().status));
  storage.setItem(`${SESSION_KEY}-code-verifier`, JSON.stringify("v".repeat(56)));
  await client.finishSignIn("code-1");
  expect(network.requests).toEqual(["POST /auth/v1/token"]);
  expect(client.current()).toEqual({ status: "signed-in", user });
  expect(statuses.at(-1)).toBe("signed-in");
});

test("a code is exchanged with the verifier of its own sign-in, whatever began later", async () => {
  const verifiers: string[] = [];
  const { client, storage } = setUp({
    async respond(request) {
      verifiers.push((await request.json()).code_verifier);
      return Response.json(session);
    },
  });
  const ids = ["first-0001", "second-002", "third-0003"];
  for (const id of ids) storage.setItem(`${SESSION_KEY}-flow-${id}-code-verifier`, JSON.stringify(`${id}-verifier`));
  storage.setItem(`${SESSION_KEY}-code-verifier`, JSON.stringify("third-0003-verifier"));
  for (const id of ids) {
    const before = [...verifiers];
    await client.finishSignIn(`code of ${id}`, id);
    expect(verifiers).toEqual([...before, `${id}-verifier`]);
  }
  await expect(client.finishSignIn("code", "unknown-04")).rejects.toThrow(/verifier/);
});

test("signing out calls the server and removes the session", async () => {
  const { client, network } = setUp({ stored: session });
  await client.signOut();
  expect(network.requests).toEqual(["POST /auth/v1/logout"]);
  expect(client.current()).toEqual({ status: "signed-out" });
});

test("storage that throws prevents neither a sign-in nor a sign-out", async () => {
  const blocked = () => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  const started: unknown[] = [];
  const auth = new GoTrueClient({ url: "http://localhost/auth/v1", persistSession: false, autoRefreshToken: false });
  vi.spyOn(auth, "signInWithOAuth").mockImplementation(async ({ provider, options }) => {
    started.push(options?.queryParams);
    return { data: { provider, url: "", flowId: null }, error: null };
  });
  const client = createSessionClient({ storage: blocked, loadAuth: async () => auth, reportError: () => {} });
  await client.signOut();
  await client.signIn("google", "http://localhost");
  expect(started).toEqual([{}]);
});

test("a sign-out that the server fails keeps the session", async () => {
  const { client } = setUp({ stored: session, respond: () => Response.json({ code: "down" }, { status: 503 }) });
  await expect(client.signOut()).rejects.toThrow();
  expect(client.current()).toEqual({ status: "signed-in", user });
});

test("auth-js is loaded again after a failed load", async () => {
  const { client, page, network, reported } = setUp({ stored: session });
  network.down = true;
  const stop = client.watch(page);
  await expect(client.signOut()).rejects.toThrow("Failed to fetch");
  await expect.poll(() => reported).toEqual(["The session cannot be refreshed:"]);
  expect(client.current()).toEqual({ status: "signed-in", user });
  network.down = false;
  await client.signOut();
  expect(client.current()).toEqual({ status: "signed-out" });
  stop();
});

test("without a session there is no access token, and auth-js is not loaded", async () => {
  const { client, network } = setUp({});
  expect(await client.accessToken()).toBeNull();
  expect(network.loads).toBe(0);
});

test("a valid access token is used without a request", async () => {
  const { client, network } = setUp({ stored: session });
  expect(await client.accessToken()).toBe(session.access_token);
  expect(network.requests).toEqual([]);
});

test("an expired access token is refreshed, and so is one that the server refused", async () => {
  const fresh = { ...session, access_token: "fresh.payload.signature", refresh_token: "r2" };
  const expired = setUp({ stored: { ...session, expires_at: 1 }, respond: () => Response.json(fresh) });
  expect(await expired.client.accessToken()).toBe(fresh.access_token);
  const refused = setUp({ stored: session, respond: () => Response.json(fresh) });
  expect(await refused.client.renewToken()).toBe(fresh.access_token);
  expect(refused.network.requests).toEqual(["POST /auth/v1/token"]);
});

test("a session whose refresh is refused ends in the browser", async () => {
  const respond = () => Response.json({ code: 400, error_code: "refresh_token_not_found" }, { status: 400 });
  const ended = setUp({ stored: session, respond: (request) => (/token/.test(request.url) ? respond() : notFound()) });
  expect(await ended.client.renewToken()).toBeNull();
  expect(ended.client.current()).toEqual({ status: "signed-out" });
  const expired = setUp({ stored: { ...session, expires_at: 1 }, respond });
  expect(await expired.client.accessToken()).toBeNull();
});

function notFound(): Response {
  return Response.json({ code: 403, error_code: "session_not_found" }, { status: 403 });
}
