import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a database server over which it can be lost. */
export interface Relay {
  /** The given URL by way of the relay. */
  url: string;
  /** Ends every connection and refuses new ones until `restore()`: the database goes away. */
  cut(): void;
  restore(): void;
  /** Lets nothing more through the connections of now, without ending them: the network goes away. */
  silence(): void;
  close(): Promise<void>;
}

export async function startRelay(target: string): Promise<Relay> {
  const url = new URL(target);
  const { hostname, port } = url;
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((incoming) => {
    if (isCut) return incoming.destroy();
    const outgoing = connect(Number(port), hostname);
    join(incoming, outgoing);
    join(outgoing, incoming);
  });
  function join(from: Socket, to: Socket): void {
    sockets.add(from);
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from) && to.destroy());
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url.port = typeof address === "object" && address ? String(address.port) : "";
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    restore() {
      isCut = false;
    },
    silence() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
