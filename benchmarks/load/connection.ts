import { connect } from "node:net";

/** A kept-alive connection to a server. */
export interface Connection {
  /** Asks for a path, one at a time; resolves with the status when the answer is there, whole. */
  get(path: string): Promise<number>;
  close(): void;
}

/**
 * Reads answers only as far as it must: the less measuring costs, the more it sees of the server. (autocannon turns each
 * body into text, which takes longer than a server needs to send it.)
 */
export function openConnection(origin: string, headers: Record<string, string>): Connection {
  const { hostname, port, host } = new URL(origin);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let asked: PromiseWithResolvers<number> | null = null;
  let received: Buffer[] = [];
  let answer: Head | null = null;

  const fail = () => asked?.reject(new Error(`${origin} closed a connection`));
  socket.on("error", fail).on("close", fail);
  socket.on("data", (chunk: Buffer) => {
    received.push(chunk);
    answer ??= readHead(received);
    if (!answer || answer.length > lengthOf(received)) return;
    asked?.resolve(answer.status);
    received = [];
    answer = null;
  });
  return {
    get(path) {
      asked = Promise.withResolvers();
      if (socket.destroyed) fail();
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
      return asked.promise;
    },
    close: () => socket.destroy(),
  };
}

interface Head {
  status: number;
  /** Of the whole answer, in bytes. */
  length: number;
}

/** Null as long as it is not all there. */
function readHead(received: Buffer[]): Head | null {
  const [start = Buffer.alloc(0)] = received;
  const whole = received.length === 1 ? start : Buffer.concat(received);
  const end = whole.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = whole.toString("latin1", 0, end);
  const body = /^content-length: (\d+)/im.exec(head)?.[1] ?? 0;
  return { status: Number(head.slice(9, 12)), length: end + 4 + Number(body) };
}

function lengthOf(chunks: Buffer[]): number {
  return chunks.reduce((bytes, chunk) => bytes + chunk.length, 0);
}
