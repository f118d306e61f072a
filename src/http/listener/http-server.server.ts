import { createServer, type RequestListener, type Server } from "node:http";
import { limitConnections } from "./connection-limit.server.ts";
import { prepareDrain } from "./graceful-shutdown.server.ts";

/** The address cannot be listened on; the message is one line for the person who starts the site. */
export class ListenError extends Error {
  override name = "ListenError";
}

/** A server that holds its address. Requests wait until it is given what answers them. */
export interface HttpServer {
  serve(listener: RequestListener): void;
  /** Refuses new connections, answers what comes on the open ones for `patience` ms, then ends what is left. */
  close(patience: number): Promise<void>;
  isClosing(): boolean;
}

/** What a connection may cost: times in ms, sizes in bytes. */
export interface HttpLimits {
  /** From the first byte, or from the connection, to the end of the headers. */
  headersTimeout: number;
  /** To the end of the body. */
  requestTimeout: number;
  /** Without a byte in either direction while a request is under way: an answer that nobody reads, too. */
  silence: number;
  /** Between an answer and the next request. Longer than any proxy keeps its own end open, or a request would meet the closing. */
  keepAliveTimeout: number;
  /** How often the first two are looked at. */
  connectionsCheckingInterval: number;
  /** Of the address and all headers together. */
  maxHeaderSize: number;
  /** Beyond these, the one that was quiet longest makes room. */
  connections: number;
}

export const httpLimits: Readonly<HttpLimits> = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  silence: 30_000,
  keepAliveTimeout: 125_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
  connections: 2_000,
};

/**
 * Listens at once, so that a taken port is found out before anything else is started.
 * @throws ListenError
 */
export async function listenHttp(host: string, port: number, limits = httpLimits): Promise<HttpServer> {
  const server = createLimitedServer(limits);
  const close = prepareDrain(server);
  const { promise, resolve: serve } = Promise.withResolvers<RequestListener>();
  server.on("request", async (request, response) => {
    const listener = await promise;
    if (!request.socket.destroyed) listener(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new ListenError(explain(error, host, port))));
    // A crowd may come between two looks of a busy event loop; Node's own 511 would make most of it try again later.
    server.listen({ port, host, backlog: limits.connections }, resolve);
  });
  return { serve, close, isClosing: () => !server.listening };
}

function createLimitedServer({ connections, silence, ...options }: HttpLimits): Server {
  const server = createServer(options);
  server.setTimeout(silence);
  // Node would drop those beyond without a word, and what a proxy adds comes last. Their size is limited.
  server.maxHeadersCount = 0;
  limitConnections(server, connections);
  return server;
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === "EADDRINUSE")
    return `Port ${port} is already in use: set PORT to another one, or stop what uses it.`;
  if (error.code === "EACCES") return `Port ${port} may not be used by this user: set PORT to one above 1023.`;
  return `Cannot listen on ${host}, port ${port}: ${error.message}`;
}
