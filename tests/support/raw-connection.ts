import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection on which a test writes what it likes. */
export interface RawConnection {
  socket: Socket;
  /** Everything that has come so far. */
  received(): string;
  /** Resolves with everything that has come so far when that is as many answers. Rejects when the connection ends before. */
  waitForResponses(answers: number): Promise<string>;
  /** Resolves with everything that came when the connection has ended, however. */
  ended: Promise<string>;
}

/** Connects to a server; resolves when the connection stands. */
export async function openRawConnection(origin: string): Promise<RawConnection> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let text = "";
  const looking = new Set<() => void>();
  socket.setEncoding("latin1").on("data", (part: string) => {
    text += part;
    for (const look of looking) look();
  });
  // A connection that the server resets has ended all the same.
  socket.on("error", () => {});
  const ended = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(text));
  });
  await once(socket, "connect");
  return {
    socket,
    received: () => text,
    ended,
    waitForResponses: (answers) =>
      new Promise((resolve, reject) => {
        const look = () => isWhole(text, answers) && looking.delete(look) && resolve(text);
        looking.add(look);
        look();
        void ended.then(() => reject(new Error(`The connection ended before ${answers} answers had come: ${text}`)));
      }),
  };
}

/** The statuses of the answers in what came over a connection. */
export function responseStatuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Whether that many answers, which all tell their length, are there whole. */
function isWhole(text: string, answers: number): boolean {
  let rest = text;
  for (let answer = 0; answer < answers; answer++) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const length = Number(/^content-length: (\d+)/im.exec(rest.slice(0, end))?.[1] ?? 0);
    if (rest.length < end + 4 + length) return false;
    rest = rest.slice(end + 4 + length);
  }
  return true;
}
