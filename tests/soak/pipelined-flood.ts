import { connect, type Socket } from "node:net";

interface PipelinedFloodOptions {
  /** The client that a trusted proxy names. */
  client: () => string;
  /** The path of the next request. */
  next: () => string;
  connections: number;
  /** Requests that each connection sends at once; the next ones when it has all their responses. */
  pipelined: number;
}

/** A client that sends as much as it can. */
export interface PipelinedFlood {
  /** The number of responses so far, by status. */
  statuses: Record<string, number>;
  stop(): void;
}

export function startPipelinedFlood(origin: string, options: PipelinedFloodOptions): PipelinedFlood {
  const { hostname, port, host } = new URL(origin);
  const { client, next, connections, pipelined } = options;
  const statuses: Record<string, number> = {};
  const sockets = new Set<Socket>();
  let isStopped = false;

  function open(): void {
    if (isStopped) return;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let pending = 0;
    let rest = "";
    function send(): void {
      const lines = () =>
        `GET ${next()} HTTP/1.1\r\nHost: ${host}\r\n${common}X-Forwarded-For: ${client()}\r\n\r\n`;
      pending = pipelined;
      socket.write(Array.from({ length: pipelined }, lines).join(""));
    }
    sockets.add(socket);
    socket.on("connect", send).on("error", () => {});
    socket.setEncoding("latin1").on("data", (part: string) => {
      const text = rest + part;
      for (const [, status = ""] of text.matchAll(statusLine)) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        pending--;
      }
      // The beginning of a status line that is not complete.
      rest = text.slice(-STATUS_LINE_LENGTH).replaceAll(statusLine, "");
      if (pending <= 0 && !isStopped) send();
    });
    socket.on("close", () => sockets.delete(socket) && open());
  }

  for (let opened = 0; opened < connections; opened++) open();
  return {
    statuses,
    stop() {
      isStopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

const common = "apikey: front-row-public\r\nAccept-Encoding: br\r\n";
const statusLine = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LINE_LENGTH = "HTTP/1.1 200 ".length - 1;
