import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { connect, type SecureVersion } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { closeAtOnce, listenOnLoopback } from "../../dev/loopback-server.ts";
import { findProxies, type ReverseProxy } from "../support/proxies.ts";
import { sendRequest } from "../support/request-with-host.ts";

/** In ms. Longer than proxies wait for responses from memory, and for those that need the database. */
const SLOW = 3_000;
const HUNG = 15_000;

/** An instance that records requests; their header `x-test` selects the response. */
async function startInstance(seen: IncomingMessage[]) {
  const server = createServer(async (incoming, response) => {
    if (incoming.url === "/readyz" || incoming.url === "/healthz") return void response.end();
    seen.push(incoming);
    await text(incoming);
    if (incoming.headers["x-test"] === "lost") return void incoming.socket.destroy();
    if (incoming.headers["x-test"] === "hung") return;
    if (incoming.headers["x-test"] === "slow") await pause(SLOW);
    response.end("answered");
  });
  const origin = await listenOnLoopback(server, 0);
  return { port: new URL(origin).port, close: () => closeAtOnce(server) };
}

for (const { name, program, resendsBodies, start } of await findProxies())
  describe.skipIf(program === null)(name, () => {
    const resources = new AsyncDisposableStack();
    const seen: IncomingMessage[] = [];
    let proxy: ReverseProxy;
    beforeAll(async () => {
      const instances = await Promise.all([startInstance(seen), startInstance(seen)]);
      for (const instance of instances) resources.defer(instance.close);
      const ports = instances.map(({ port }) => port);
      proxy = await start(ports, await freePort());
      resources.defer(proxy.close);
    });
    afterAll(() => resources.disposeAsync());
    beforeEach(() => void seen.splice(0));

    async function ask(
      method: string,
      path: string,
      headers: Record<string, string> = {},
      origin = proxy.origin,
    ) {
      const body = method === "GET" ? undefined : { sent: "a body" };
      const { status, headers: got } = await sendRequest(origin, {
        method,
        path,
        headers,
        body,
        agent: false,
      });
      return { status, location: got.get("location") };
    }

    const send = async (...sent: Parameters<typeof ask>) => (await ask(...sent)).status;

    test("waits for the database or a drawing, without a retry", async () => {
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
      const asked = seen.map(({ method, url }) => `${method} ${url}`);
      expect(asked.sort()).toEqual(slow.map((parts) => parts.join(" ")).sort());
    });

    test("retries only requests that are safe to repeat at another instance", async () => {
      const countSent = async (method: string, path: string) => {
        seen.splice(0);
        expect(await send(method, path, { "x-test": "lost" })).toBeGreaterThanOrEqual(500);
        return seen.length;
      };
      const exchange = "/auth/v1/token?grant_type=pkce";
      for (const path of ["/api/reports", "/api/moderation/a-token", "/api/reviews/objections", exchange])
        expect([path, await countSent("POST", path)]).toEqual([path, 1]);
      if (!resendsBodies) return;
      expect(await countSent("PUT", "/api/reviews")).toBeGreaterThan(1);
      expect(await countSent("POST", "/auth/v1/token?grant_type=refresh_token")).toBeGreaterThan(1);
    });

    test("hides metrics and readiness for any spelling of their paths", async () => {
      const spellings = ["metrics", "readyz"].flatMap((path) => {
        const codes = [...path].map((letter) => `%${letter.charCodeAt(0).toString(16)}`);
        const all = codes.join("");
        return [
          ...codes.map(
            (code, index) => `/${path.slice(0, index)}${code.toUpperCase()}${path.slice(index + 1)}`,
          ),
          ...[`/${all}?from=here`, `/./${path}`, `/%2E/${path}`, `/shows/%2e%2e/${path}`, `/api/../${all}`],
          `${proxy.origin}/${all}`,
        ];
      });
      for (const spelling of [...spellings, "/metrics#now", "/readyz?verbose"]) await send("GET", spelling);
      // How Node and Hono read the requests that came through.
      const paths = seen.map(({ url }) => decodeURI(new URL(url ?? "", proxy.origin).pathname));
      expect(paths.filter((path) => path === "/metrics" || path === "/readyz")).toEqual([]);
      expect(await send("GET", "/?search=/metrics")).toBe(200);
    });

    test("requests with cookies of other sites are answered", async () => {
      const headers = { cookie: `sibling=${"x".repeat(100_000)}`, "x-kept": "kept" };
      expect(await send("GET", "/", headers)).toBe(200);
      expect(await send("POST", "/api/reports", headers)).toBe(200);
      expect(await send("GET", "/auth/v1/user", { ...headers, authorization: "Bearer x" })).toBe(200);
      const kept = seen.map(({ headers: got }) => [got.cookie, got["x-kept"]]);
      expect(kept).toEqual(Array(3).fill([undefined, "kept"]));
    });

    test("redirects pages from http to https, and refuses the rest", async () => {
      const plain = (method: string, path: string, host = "front-row.example") =>
        ask(method, path, { host }, `http://127.0.0.1:${proxy.plainPort}`);
      for (const path of ["/", "/auth", "/authors?page=2", "/?search=a%20b&show=/api/", "/apis", "/auth/v10"])
        expect(await plain("GET", path), path).toEqual({
          status: 301,
          location: `https://front-row.example${path}`,
        });
      for (const path of [
        "/api/shows",
        "/api/reviews?show_id=1",
        "/%61pi/reports",
        "/auth/v1/user",
        "/auth/v1/token",
      ])
        for (const method of ["GET", "POST"])
          expect(await plain(method, path), path).toEqual({ status: 403, location: null });
      // A foreign `Host` never redirects to another site.
      const other = await plain("GET", "/", "evil.example").catch(() => null);
      expect(other?.location ?? "https://front-row.example/").toBe("https://front-row.example/");
      expect(seen).toEqual([]);
    });

    test.skipIf(name !== "nginx")("answers only to its names, with TLS 1.2 and 1.3", async () => {
      for (const host of ["front-row.example", "www.front-row.example", "FRONT-ROW.example:443"])
        expect(await send("GET", "/", { host }), host).toBe(200);
      for (const host of [
        "evil.example",
        "front-row.example.evil.example",
        "10.0.0.1",
        "x.front-row.example",
      ])
        expect(await send("GET", "/", { host }).catch(() => 421), host).toBe(421);
      expect(seen).toHaveLength(3);
      const shake = async (version: SecureVersion, servername = "front-row.example") => {
        const options = {
          servername,
          minVersion: version,
          maxVersion: version,
          ciphers: "DEFAULT@SECLEVEL=0",
        };
        const socket = connect({
          port: proxy.securePort,
          host: "127.0.0.1",
          rejectUnauthorized: false,
          ...options,
        });
        const secured = await once(socket, "secureConnect").then(
          () => socket.getProtocol(),
          () => null,
        );
        socket.destroy();
        return secured;
      };
      for (const version of ["TLSv1.2", "TLSv1.3"] as const) expect(await shake(version)).toBe(version);
      for (const version of ["TLSv1", "TLSv1.1"] as const) expect(await shake(version)).toBeNull();
      expect(await shake("TLSv1.3", "evil.example")).toBeNull();
    });

    test("gives up on an instance that hangs in a write", { timeout: 2 * HUNG }, async () => {
      const writes = [
        ["POST", "/api/reports"],
        ["POST", "/api/moderation/a-token"],
      ];
      if (!resendsBodies) writes.push(["PUT", "/api/reviews"]);
      const began = performance.now();
      const answers = writes.map(([method = "", path = ""]) => send(method, path, { "x-test": "hung" }));
      for (const status of await Promise.all(answers)) expect(status).toBeGreaterThanOrEqual(500);
      expect(performance.now() - began).toBeLessThan(HUNG);
    });
  });
