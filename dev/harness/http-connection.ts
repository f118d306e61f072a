import { connect } from "node:net";

const BUFFER_BYTES = 65_536;

/** Keep-alive. */
export interface HttpConnection {
  /** One request at a time. Resolves with the status after the whole response. */
  get(path: string): Promise<number>;
  put(path: string, headers: Record<string, string>, json: string): Promise<number>;
  close(): void;
}

/**
 * Reads the status and `Content-Length` of a response and only counts the rest. Load generators that read
 * more need more CPU than the servers that they measure (benchmarks/README.md).
 */
export function openConnection(origin: string, headers: Record<string, string>): HttpConnection {
  const { hostname, port, host } = new URL(origin);
  const common = headerLines({ host, ...headers });
  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    // Reused: a new buffer for each chunk would make 100 MB of garbage a second.
    onread: { buffer: Buffer.allocUnsafe(BUFFER_BYTES), callback: receive },
  });
  let pending: PromiseWithResolvers<number> | null = null;
  let partialHead: Buffer | null = null;
  let head: Head | null = null;
  let received = 0;

  const fail = () => pending?.reject(new Error(`${origin} closed a connection`));
  socket.on("error", fail).on("close", fail);

  function receive(length: number, buffer: Uint8Array): boolean {
    received += length;
    if (!head) {
      const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, length);
      const start = partialHead ? Buffer.concat([partialHead, chunk]) : chunk;
      head = readHead(start);
      if (!head) partialHead = Buffer.from(start);
    }
    if (!head || head.responseBytes > received) return true;
    const { status } = head;
    partialHead = null;
    head = null;
    received = 0;
    pending?.resolve(status);
    return true;
  }

  function send(text: string): Promise<number> {
    pending = Promise.withResolvers();
    if (socket.destroyed) fail();
    socket.write(text);
    return pending.promise;
  }

  return {
    get: (path) => send(`GET ${path} HTTP/1.1\r\n${common}\r\n`),
    put(path, own, json) {
      const lines = headerLines({ ...own, "content-length": String(Buffer.byteLength(json)) });
      return send(`PUT ${path} HTTP/1.1\r\n${common}${lines}\r\n${json}`);
    },
    close: () => socket.destroy(),
  };
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}

interface Head {
  status: number;
  /** The length of the whole response, in bytes. */
  responseBytes: number;
}

/** Null until the whole head has arrived. */
function readHead(received: Buffer): Head | null {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = received.toString("latin1", 0, end);
  const body = /^content-length: (\d+)/im.exec(head)?.[1] ?? 0;
  return { status: Number(head.slice(9, 12)), responseBytes: end + 4 + Number(body) };
}
