import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** A way to a database server over which it can be lost, and be slow. */
export interface Relay {
  /** The given URL by way of the relay. */
  url: string;
  /** Ends every connection and refuses new ones until `restore()`: the database goes away. */
  cut(): void;
  restore(): void;
  /** Lets nothing more through the connections of now, without ending them: the network goes away. */
  silence(): void;
  /** As `silence()`, and nothing through new ones either until `restore()`: the network stays away. */
  isolate(): void;
  /** Holds back each part of what the server answers for so long, in ms, from now on. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function startRelay(target: string): Promise<Relay> {
  const url = new URL(target);
  const { hostname, port } = url;
  const ways = new Set<Way>();
  let state: "open" | "cut" | "isolated" = "open";
  let late = 0;
  const server = createServer((incoming) => {
    if (state === "cut") return incoming.destroy();
    const way = openWay(incoming, connect(Number(port), hostname), () => late);
    ways.add(way);
    if (state === "isolated") way.forget();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url.port = typeof address === "object" && address ? String(address.port) : "";
  const cut = () => {
    state = "cut";
    for (const way of ways) way.end();
    ways.clear();
  };
  const silence = () => {
    for (const way of ways) way.forget();
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
    delay(ms) {
      late = ms;
    },
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** One connection from end to end. */
interface Way {
  end(): void;
  /** Nothing passes any more, not even that one side has gone. */
  forget(): void;
}

function openWay(incoming: Socket, outgoing: Socket, late: () => number): Way {
  let isForgotten = false;
  const join = (from: Socket, to: Socket, wait: () => number) => {
    const pass = new Transform({
      transform(part, _encoding, done) {
        const hand = () => (isForgotten ? done() : done(null, part));
        if (wait() === 0) hand();
        else setTimeout(hand, wait());
      },
    });
    from.pipe(pass).pipe(to, { end: false });
    from.on("error", () => {});
    from.on("close", () => isForgotten || to.destroy());
  };
  join(incoming, outgoing, () => 0);
  join(outgoing, incoming, late);
  return {
    end() {
      incoming.destroy();
      outgoing.destroy();
    },
    forget() {
      isForgotten = true;
    },
  };
}
