import { once } from "node:events";
import { connect } from "node:net";
import { vi } from "vitest";

export type RawConnection = Awaited<ReturnType<typeof openRawConnection>>;

export async function openRawConnection(origin: string) {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => {
    text += part;
  });
  // A reset also closes the connection.
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(text));
  });
  await once(socket, "connect");
  return {
    socket,
    closed,
    async waitForResponses(count: number): Promise<string> {
      const isReady = () => {
        if (isComplete(text, count)) return true;
        if (socket.closed) throw new Error(`The connection closed before ${count} responses: ${text}`);
      };
      await vi.waitUntil(isReady, { timeout: 60_000, interval: 5 });
      return text;
    },
  };
}

export function responseStatuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Whether a text has that many complete responses. All must have a Content-Length. */
function isComplete(text: string, count: number): boolean {
  let rest = text;
  for (let response = 0; response < count; response++) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const length = Number(/^content-length: (\d+)/im.exec(rest.slice(0, end))?.[1] ?? 0);
    if (rest.length < end + 4 + length) return false;
    rest = rest.slice(end + 4 + length);
  }
  return true;
}
