import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { OperatorError } from "../../lib/operator-error.ts";
import { OURS } from "../../lib/responses.ts";
import { limitConnections } from "./connections.server.ts";

export type HttpServer = Awaited<ReturnType<typeof listenHttp>>;

/** Times in ms, sizes in bytes. */
export const httpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** The limit of silence while a request is in flight. */
  socketTimeout: 30_000,
  /** Longer than any proxy's. Otherwise a proxy could send a request while the connection is being closed. */
  keepAliveTimeout: 125_000,
  connectionsCheckingInterval: 2_000,
  /** URL and headers together. */
  maxHeaderSize: 16_384,
  connections: 2_000,
};

type HttpLimits = typeof httpLimits;

/** For `localhost`, listens on IPv4 and IPv6, as far as the machine has them. @throws OperatorError */
export async function listenHttp(host: string, port: number, limits = httpLimits) {
  const { promise, resolve: serve } = Promise.withResolvers<RequestListener>();
  const hosts = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
  const attempts = await Promise.allSettled(hosts.map((address) => listenOn(address, port, limits, promise)));
  const servers = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
  const close = async (timeout: number): Promise<void> => {
    await Promise.all(servers.map((drain) => drain(timeout)));
  };
  const errors = attempts.flatMap((attempt) => (attempt.status === "rejected" ? [attempt.reason] : []));
  const decisive = errors.find((error) => servers.length === 0 || !isMissingAddress(error));
  if (decisive) {
    await close(0);
    throw new OperatorError(explain(decisive, host, port));
  }
  return { serve, close };
}

async function listenOn(host: string, port: number, limits: HttpLimits, served: Promise<RequestListener>) {
  const { connections, socketTimeout, ...options } = limits;
  const server = createServer(options);
  server.setTimeout(socketTimeout);
  // By default, Node silently drops headers over a count, a proxy's first. `maxHeaderSize` limits them instead.
  server.maxHeadersCount = 0;
  const close = limitConnections(server, connections);
  server.on("request", async (request, response) => {
    const listener = await served;
    // Tells a page's worker that a proxy or a captive portal has not answered in our place (docs/product.md §14.2).
    response.setHeader(OURS, "1");
    if (!request.socket.destroyed) listener(request, response);
  });
  // Many clients may connect during one long event-loop tick. Node's default is 511.
  server.listen({ port, host, backlog: connections });
  await once(server, "listening");
  return close;
}

function isMissingAddress({ code }: NodeJS.ErrnoException): boolean {
  return code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT";
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === "EADDRINUSE")
    return `Port ${port} is already in use: set PORT to another one, or stop what uses it.`;
  if (error.code === "EACCES")
    return `Port ${port} may not be used by this user: set PORT to one above 1023.`;
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return `HOST ${host} is no address of this machine: set it to 127.0.0.1, or to 0.0.0.0 for all its addresses.`;
  return `Cannot listen on HOST ${host}, PORT ${port}: ${error.message}`;
}
