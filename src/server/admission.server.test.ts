import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { limitClients } from "../http/admission/limit-clients.server.ts";
import { type HttpServer, listenHttp } from "../http/listener/http-server.server.ts";
import { refusalOf } from "./admission.server.ts";

const recordRequest = vi.fn();
let origin: string;
let server: HttpServer;

beforeEach(async () => {
  recordRequest.mockClear();
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  server = await listenHttp("127.0.0.1", port);
  const countRequest = ({ headers }: IncomingMessage) => Number(headers["x-wait"] ?? 0);
  const listener = (_: IncomingMessage, response: ServerResponse) => void response.end("here");
  server.serve(limitClients(listener, { countRequest, recordRequest, refusalOf, refusalDelay: 0 }));
});
afterEach(() => server.close(0));

const get = (path: string, wait: number, accept = "*/*") =>
  fetch(origin + path, { headers: { "x-wait": String(wait), accept } });

test("a client below the limit is answered by the app, which records it", async () => {
  for (const path of ["/", "/healthz", "/auth/v1/token"])
    expect(await (await get(path, 0)).text()).toBe("here");
  expect(recordRequest).not.toHaveBeenCalled();
});

test.each([
  ["/", "text/html,*/*;q=0.8", 429, "text/html; charset=utf-8", "Too many requests came from your network."],
  ["/api/shows?search=x", "*/*", 429, "application/json", '"code":"rate_limited"'],
  ["/healthz?1", "*/*", 429, "application/json", '"code":"rate_limited"'],
  ["/auth/v1/tokens", "*/*", 429, "application/json", '"code":"rate_limited"'],
  ["/auth/v1/token?grant_type=refresh_token", "*/*", 503, "application/json", '"code":"unavailable"'],
])(
  "%s (Accept: %s) over the limit gets %d as %s (docs/product.md §8.6)",
  async (path, accept, status, type, text) => {
    const response = await get(path, 7, accept);
    expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).toContain(text);
    const summary = { method: "GET", path: "/*", route: "/*", status, refused: status === 503 };
    expect(recordRequest).toHaveBeenCalledExactlyOnceWith(summary, 0);
  },
);
