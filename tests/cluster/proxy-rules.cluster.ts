import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { findCaches } from "../support/caches.ts";
import { findProxies } from "../support/proxies.ts";
import type { ReverseProxy } from "../support/reverse-proxy.ts";

/** In ms: longer than proxies wait for what comes from memory. */
const SLOW = 3_000;

/** An instance that keeps what it is asked for; the header `x-test` says how it answers. */
async function startInstance(seen: IncomingMessage[]) {
  const server = createServer(async (incoming, response) => {
    if (incoming.url === "/readyz" || incoming.url === "/healthz") return void response.end();
    seen.push(incoming);
    await text(incoming);
    if (incoming.headers["x-test"] === "lost") return void incoming.socket.destroy();
    if (incoming.headers["x-test"] === "slow") await pause(SLOW);
    response.end("answered");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: String(typeof address === "object" ? address?.port : 0),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const programs = [...(await findProxies()), ...(await findCaches()).filter(({ name }) => name === "Varnish")];

describe.each(programs)("$name", ({ name, program, resendsBodies, start }) => {
  const resources = new AsyncDisposableStack();
  const seen: IncomingMessage[] = [];
  let proxy: ReverseProxy;

  beforeAll(async () => {
    if (program === null) return;
    const instances = await Promise.all([startInstance(seen), startInstance(seen)]);
    for (const instance of instances) resources.defer(instance.close);
    proxy = await start(
      program,
      await freePort(),
      instances.map(({ port }) => port),
    );
    resources.defer(proxy.close);
  });
  afterAll(() => resources.disposeAsync());
  beforeEach(() => void seen.splice(0));

  /** Sends a request with its path as it is written. Resolves with the status. */
  async function send(method: string, path: string, headers: Record<string, string> = {}): Promise<number> {
    const { hostname, port } = new URL(proxy.origin);
    const sent = request({ method, hostname, port, path, headers, agent: false });
    sent.end(method === "GET" ? undefined : "a body");
    const [response]: IncomingMessage[] = await once(sent, "response");
    response?.resume();
    return response?.statusCode ?? 0;
  }

  test.skipIf(program === null)("waits for what needs the database or is drawn, and asks once", async () => {
    const slow = [
      ["PUT", "/api/reviews"],
      ["GET", "/api/reviews/mine"],
      ["POST", "/api/reviews/objections"],
      ["POST", "/api/reports"],
      ["POST", "/api/reports?show=moths"],
      ["GET", "/api/moderation/a-token"],
      ["POST", "/api/moderation/a-token"],
      ["GET", "/api/shows/moths/preview.png"],
    ] as const;
    const statuses = slow.map(([method, path]) => send(method, path, { "x-test": "slow" }));
    expect(await Promise.all(statuses)).toEqual(slow.map(() => 200));
    expect(seen.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(
      slow.map((parts) => parts.join(" ")).sort(),
    );
  });

  test.skipIf(program === null)("sends again only what is safe to repeat at another instance", async () => {
    const countSent = async (method: string, path: string) => {
      seen.splice(0);
      expect(await send(method, path, { "x-test": "lost" })).toBeGreaterThanOrEqual(500);
      return seen.length;
    };
    for (const path of ["/api/reports", "/api/moderation/a-token", "/api/reviews/objections"])
      expect([path, await countSent("POST", path)]).toEqual([path, 1]);
    if (!resendsBodies) return;
    expect(await countSent("PUT", "/api/reviews")).toBeGreaterThan(1);
    expect(await countSent("POST", "/auth/v1/token?grant_type=refresh_token")).toBeGreaterThan(1);
  });

  test.skipIf(program === null)("hides metrics and readiness, however their paths are spelled", async () => {
    const spellings = ["metrics", "readyz"].flatMap((name) => {
      const codes = [...name].map((letter) => `%${letter.charCodeAt(0).toString(16)}`);
      return [
        ...codes.map(
          (code, index) => `/${name.slice(0, index)}${code.toUpperCase()}${name.slice(index + 1)}`,
        ),
        `/${codes.join("")}?from=here`,
        `/./${name}`,
        `/%2E/${name}`,
        `/shows/%2e%2e/${name}`,
        `/api/../${codes.join("")}`,
        `${proxy.origin}/${codes.join("")}`,
      ];
    });
    for (const spelling of [...spellings, "/metrics#now", "/readyz?verbose"]) await send("GET", spelling);
    // What Node and Hono make of what came through.
    const paths = seen.map(({ url }) => decodeURI(new URL(url ?? "", proxy.origin).pathname));
    expect(paths.filter((path) => path === "/metrics" || path === "/readyz")).toEqual([]);
    expect(await send("GET", "/?search=/metrics")).toBe(200);
  });

  test.skipIf(program === null)("lets nobody be locked out by the cookies of other sites", async () => {
    // Varnish stands behind one of the others.
    const size = name === "Varnish" ? 7_000 : 100_000;
    const headers = { cookie: `sibling=${"x".repeat(size)}`, "x-kept": "kept" };
    expect(await send("GET", "/", headers)).toBe(200);
    expect(await send("POST", "/api/reports", headers)).toBe(200);
    expect(await send("GET", "/auth/v1/user", { ...headers, authorization: "Bearer x" })).toBe(200);
    expect(seen.map((request) => [request.headers.cookie, request.headers["x-kept"]])).toEqual(
      Array(3).fill([undefined, "kept"]),
    );
  });
});
