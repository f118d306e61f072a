import { once } from "node:events";
import { connect, createServer } from "node:net";

/** A statement as a client sent it. */
export interface Statement {
  /** Under which it was prepared; empty where it has none. */
  name: string;
  sql: string;
  parameters: (string | null)[];
  /** Whether it was sent after an answer on its connection: a round trip begins with it. */
  isFirst: boolean;
}

/** A way to a database server that takes down what passes. */
export interface StatementRecorder {
  /** The given URL by way of the recorder. */
  url: string;
  /** What was sent since the last call, on whatever connection, in order. */
  take(): Statement[];
  close(): Promise<void>;
}

export async function startStatementRecorder(target: string): Promise<StatementRecorder> {
  const url = new URL(target);
  const { hostname, port } = url;
  let recorded: Statement[] = [];
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    let isFirst = true;
    outgoing.on("data", () => {
      isFirst = true;
    });
    incoming.on(
      "data",
      createReader((statement) => {
        recorded.push({ ...statement, isFirst });
        isFirst = false;
      }),
    );
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on("error", () => outgoing.destroy());
    outgoing.on("error", () => incoming.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url.port = typeof address === "object" && address ? String(address.port) : "";
  return {
    url: url.href,
    take() {
      const taken = recorded;
      recorded = [];
      return taken;
    },
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}

/** Reads what one client sends, by PostgreSQL's message formats (its documentation, "Frontend/Backend Protocol"). */
function createReader(record: (statement: Omit<Statement, "isFirst">) => void): (part: Buffer) => void {
  const prepared = new Map<string, string>();
  let rest = Buffer.alloc(0);
  // The first message has no letter that says which one it is.
  let kindLength = 0;

  function read(kind: string, message: Reader): void {
    if (kind === "Q") record({ name: "", sql: message.text(), parameters: [] });
    if (kind === "P") prepared.set(message.text(), message.text());
    if (kind !== "B") return;
    message.text();
    const name = message.text();
    for (let formats = message.int16(); formats > 0; formats--) message.int16();
    const parameters = Array.from({ length: message.int16() }, () => message.value());
    record({ name, sql: prepared.get(name) ?? "", parameters });
  }

  return (part) => {
    rest = Buffer.concat([rest, part]);
    while (rest.length >= kindLength + 4) {
      const end = kindLength + rest.readInt32BE(kindLength);
      if (rest.length < end) return;
      if (kindLength > 0) read(rest.toString("latin1", 0, 1), readMessage(rest.subarray(5, end)));
      kindLength = 1;
      rest = rest.subarray(end);
    }
  };
}

type Reader = ReturnType<typeof readMessage>;

function readMessage(bytes: Buffer) {
  let at = 0;
  function int16(): number {
    at += 2;
    return bytes.readInt16BE(at - 2);
  }
  return {
    int16,
    text(): string {
      const end = bytes.indexOf(0, at);
      const text = bytes.toString("utf8", at, end);
      at = end + 1;
      return text;
    },
    /** A parameter as text; null for null. */
    value(): string | null {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length < 0) return null;
      at += length;
      return bytes.toString("utf8", at - length, at);
    },
  };
}
