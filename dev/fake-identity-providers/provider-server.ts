import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { closeAtOnce, listenOnLoopback } from "../loopback-server.ts";
import type { Endpoint, Fault, IdentityFaults } from "./faults.ts";

interface ProviderServerOptions {
  faults: IdentityFaults;
  /** By path. */
  endpoints: ReadonlyMap<string, Endpoint>;
  /** Called with the server's URL at the first request without a fault, because its libraries load slowly. */
  createProvider(url: string): Promise<RequestListener>;
}

export interface ProviderServer {
  /** Without a trailing slash. */
  url: string;
  /** Method, path and query, oldest first. */
  requests: string[];
  /** Stops at once and cuts off requests in flight. */
  close(): Promise<void>;
}

/** Applies the faults. */
export async function startProviderServer(options: ProviderServerOptions): Promise<ProviderServer> {
  const { faults, endpoints, createProvider } = options;
  const requests: string[] = [];
  const server = createServer();
  const url = await listenOnLoopback(server, 0);
  let provider: Promise<RequestListener> | undefined;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: target = "/" } = request;
    requests.push(`${method} ${target}`);
    const endpoint = endpoints.get(target.split("?", 1)[0] ?? "/");
    const fault = endpoint && faults.endpoints.get(endpoint);
    if (fault && fault.kind !== "slow") return sendFault(response, fault);
    if (fault) await Promise.race([setTimeout(fault.ms, undefined, { ref: false }), once(response, "close")]);
    if (response.destroyed) return;
    provider ??= createProvider(url);
    await (await provider)(request, response);
  }

  server.on("request", (request, response) => {
    respond(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  return { url, requests, close: () => closeAtOnce(server) };
}

const errorPage = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>";

const wire = "from the wire";
const refusal = JSON.stringify({ error: "invalid_grant", error_description: wire, code: wire });

function sendFault(response: ServerResponse, fault: Exclude<Fault, { kind: "slow" }>): void {
  switch (fault.kind) {
    case "hang":
      return;
    case "unavailable":
      response.destroy();
      return;
    case "status":
      send(response, fault.status, "text/html", errorPage);
      return;
    case "garbage":
      send(response, 200, "text/html", errorPage);
      return;
    case "redirect":
      response.writeHead(307, { location: "/elsewhere" }).end();
      return;
    case "refusal":
      send(response, 400, "application/json", refusal);
      return;
    case "empty":
      send(response, 200, "application/json", "{}");
      return;
    case "endless":
      response.writeHead(200, { "content-type": "application/json" });
      // Not an error: the endless response ends when client or server closes the connection.
      pipeline(Readable.from(endlessJson()), response).catch(() => undefined);
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
}

function* endlessJson(): Generator<string> {
  yield '{"endless":"';
  for (;;) yield "x".repeat(16_384);
}
