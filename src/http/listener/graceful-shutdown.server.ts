import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** Whoever has sent nothing for this long is not about to, in ms: a proxy or page under load sends its next request at once. */
const QUIET = 250;

/**
 * Watches a server from its start, so that it can be closed without a request going unanswered that has reached it. What comes back
 * closes it: new connections are refused at once, which proxies take as a reason to ask another server. Requests that are under
 * way, or come on connections that are open, are answered for `patience` ms, with the notice that the connection ends. Only what stays
 * quiet is closed without one.
 */
export function prepareDrain(server: Server): (patience: number) => Promise<void> {
  /**
   * What is unanswered on each. Not a set of all answers: V8 has a set's table, when it is through, point to the next one, so that tables
   * which have grown old kept those after them and thousands of answers, until all memory was looked at.
   */
  const connections = new Map<Socket, ServerResponse[]>();

  server.on("connection", (socket) => {
    connections.set(socket, []);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const unanswered = connections.get(socket) ?? [];
    unanswered.push(response);
    response.once("close", () => unanswered.splice(unanswered.indexOf(response), 1));
    if (!server.listening) announceEnd(response);
  });

  /** Node holds a connection that never sent anything for busy: browsers open some in advance. */
  function closeQuiet(): void {
    server.closeIdleConnections();
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  return async function drain(patience) {
    // As a net server: as an http server it would end idle connections now, with requests on their way.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    for (const response of [...connections.values()].flat()) announceEnd(response);
    // Immediates run after what has arrived was read.
    const quiet = setInterval(() => setImmediate(closeQuiet), QUIET);
    const impatient = setTimeout(() => server.closeAllConnections(), patience);
    await closed;
    clearInterval(quiet);
    clearTimeout(impatient);
  };
}

function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
