import { connect } from "node:net";

/** In bytes. */
const LARGEST_PIECE = 65_536;

/** A kept-alive connection to a server. */
export interface Connection {
  /** Asks for a path, one at a time; resolves with the status when the answer is there, whole. */
  get(path: string): Promise<number>;
  /** Sends JSON to a path, with headers besides the connection's own. */
  put(path: string, headers: Record<string, string>, json: string): Promise<number>;
  close(): void;
}

/**
 * Reads answers only as far as it must: the less measuring costs, the more it sees of the server. (autocannon turns each
 * body into text, which takes longer than a server needs to send it.)
 */
export function openConnection(origin: string, headers: Record<string, string>): Connection {
  const { hostname, port, host } = new URL(origin);
  const common = headerLines({ host, ...headers });
  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    // One buffer for all that comes: a new one for each piece would be 100 MB a second for the collector of garbage.
    onread: { buffer: Buffer.allocUnsafe(LARGEST_PIECE), callback: receive },
  });
  let asked: PromiseWithResolvers<number> | null = null;
  let head: Buffer | null = null;
  let answer: Head | null = null;
  let received = 0;

  const fail = () => asked?.reject(new Error(`${origin} closed a connection`));
  socket.on("error", fail).on("close", fail);

  function receive(length: number, buffer: Uint8Array): boolean {
    received += length;
    if (!answer) {
      const piece = Buffer.from(buffer.buffer, buffer.byteOffset, length);
      const start = head ? Buffer.concat([head, piece]) : piece;
      answer = readHead(start);
      if (!answer) head = Buffer.from(start);
    }
    if (!answer || answer.length > received) return true;
    const { status } = answer;
    head = null;
    answer = null;
    received = 0;
    asked?.resolve(status);
    return true;
  }

  function send(text: string): Promise<number> {
    asked = Promise.withResolvers();
    if (socket.destroyed) fail();
    socket.write(text);
    return asked.promise;
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
  /** Of the whole answer, in bytes. */
  length: number;
}

/** Null as long as it is not all there. */
function readHead(received: Buffer): Head | null {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = received.toString("latin1", 0, end);
  const body = /^content-length: (\d+)/im.exec(head)?.[1] ?? 0;
  return { status: Number(head.slice(9, 12)), length: end + 4 + Number(body) };
}
