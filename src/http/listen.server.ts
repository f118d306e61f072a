import { createServer, type RequestListener, type Server } from "node:http";

/** The address cannot be listened on; the message is one line for the person who starts the site. */
export class ListenError extends Error {
  override name = "ListenError";
}

/** A server that holds its address. Requests wait until it is given what answers them. */
export interface HttpServer {
  serve(listener: RequestListener): void;
  /** Stops accepting, lets running requests finish for `patience` ms, then ends what is left. */
  close(patience: number): Promise<void>;
}

/**
 * Listens at once, so that a taken port is found out before anything else is started.
 * @throws ListenError
 */
export async function listenHttp(host: string, port: number): Promise<HttpServer> {
  const server = createServer();
  const { promise, resolve: serve } = Promise.withResolvers<RequestListener>();
  server.on("request", async (request, response) => (await promise)(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new ListenError(explain(error, host, port))));
    server.listen(port, host, resolve);
  });
  return { serve, close: (patience) => closeServer(server, patience) };
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === "EADDRINUSE")
    return `Port ${port} is already in use: set PORT to another one, or stop what uses it.`;
  if (error.code === "EACCES") return `Port ${port} may not be used by this user: set PORT to one above 1023.`;
  return `Cannot listen on ${host}, port ${port}: ${error.message}`;
}

async function closeServer(server: Server, patience: number): Promise<void> {
  // A connection that was busy when the server closed is kept alive after its answer: look again now and then.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const impatient = setTimeout(() => server.closeAllConnections(), patience);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(idle);
  clearTimeout(impatient);
}
