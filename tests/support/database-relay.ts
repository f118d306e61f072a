import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** A TCP relay to a database server. It can lose connections, add latency and lead to another server. */
export interface Relay {
  url: string;
  /** Closes all connections and refuses new ones until `restore()`, as a stopped database does. */
  cut(): void;
  restore(): void;
  /** Drops all data on the current connections without closing them, as a network failure does. */
  silence(): void;
  /** Drops the data on new connections too, until `restore()`: a lasting network failure. */
  isolate(): void;
  /** Leads new connections to another server, as a name does after a failover. Others stay where they are. */
  redirect(target: string): void;
  /** Delays everything that the server sends by so many ms, from now on. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function startRelay(target: string): Promise<Relay> {
  const url = new URL(target);
  let { hostname, port } = url;
  const connections = new Set<RelayedConnection>();
  let state: "open" | "cut" | "isolated" = "open";
  let latency = 0;
  const server = createServer((incoming) => {
    if (state === "cut") return incoming.destroy();
    const connection = relayConnection(incoming, connect(Number(port), hostname), () => latency);
    connections.add(connection);
    if (state === "isolated") connection.drop();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url.port = typeof address === "object" && address ? String(address.port) : "";
  const cut = () => {
    state = "cut";
    for (const connection of connections) connection.close();
    connections.clear();
  };
  const silence = () => {
    for (const connection of connections) connection.drop();
  };
  return {
    url: url.href,
    cut,
    restore() {
      state = "open";
    },
    silence,
    isolate() {
      state = "isolated";
      silence();
    },
    redirect(newTarget) {
      ({ hostname, port } = new URL(newTarget));
    },
    delay(ms) {
      latency = ms;
    },
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface RelayedConnection {
  close(): void;
  /** Drops everything from now on, also that one side closes. */
  drop(): void;
}

function relayConnection(incoming: Socket, outgoing: Socket, latency: () => number): RelayedConnection {
  let isDropped = false;
  const forward = (from: Socket, to: Socket, delay: () => number) => {
    const transform = new Transform({
      transform(part, _encoding, done) {
        const pass = () => (isDropped ? done() : done(null, part));
        if (delay() === 0) pass();
        else setTimeout(pass, delay());
      },
    });
    from.pipe(transform).pipe(to, { end: false });
    from.on("error", () => {});
    from.on("close", () => isDropped || to.destroy());
  };
  forward(incoming, outgoing, () => 0);
  forward(outgoing, incoming, latency);
  return {
    close() {
      incoming.destroy();
      outgoing.destroy();
    },
    drop() {
      isDropped = true;
    },
  };
}
