import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

export type Relay = Awaited<ReturnType<typeof startRelay>>;

/** A TCP relay to a database server. It can drop connections, add latency and switch to another server. */
export async function startRelay(target: string) {
  const url = new URL(target);
  let { hostname, port } = url;
  const connections = new Set<ReturnType<typeof relayConnection>>();
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
  /** Like a stopped database: closes all connections and refuses new ones until `restore()`. */
  const cut = () => {
    state = "cut";
    for (const connection of connections) connection.close();
    connections.clear();
  };
  /** Like a network failure: drops all data on the current connections without closing them. */
  const silence = () => {
    for (const connection of connections) connection.drop();
  };
  return {
    url: url.href,
    cut,
    /** Closes about a third of the connections. */
    cutSome() {
      for (const connection of connections) if (Math.random() < 0.3) connection.close();
    },
    restore() {
      state = "open";
    },
    silence,
    /** A lasting network failure: also drops data on new connections, until `restore()`. */
    isolate() {
      state = "isolated";
      silence();
    },
    /** Like a host name after a failover: only new connections go to another server. */
    redirect(newTarget: string) {
      ({ hostname, port } = new URL(newTarget));
    },
    /** Delays all data of the server, in ms. */
    delay(ms: number) {
      latency = ms;
    },
    close() {
      cut();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function relayConnection(incoming: Socket, outgoing: Socket, latency: () => number) {
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
    /** Drops everything from now on, also the end of a connection. */
    drop() {
      isDropped = true;
    },
  };
}
