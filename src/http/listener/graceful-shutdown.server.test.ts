import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../../dev/harness/free-port.ts";
import { prepareDrain } from "./graceful-shutdown.server.ts";

const LONG = 60_000;

let server: Server;
let port: number;
let drain: (patience: number) => Promise<void>;
let agent: Agent;

beforeEach(async () => {
  server = createServer();
  drain = prepareDrain(server);
  port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(() => agent.destroy());

/** Asks on the agent's connection; answers the text, and what becomes of the connection. */
async function ask(): Promise<string> {
  const sent = request({ port, host: "127.0.0.1", agent }).end();
  const [answer]: IncomingMessage[] = await once(sent, "response");
  return `${(await answer?.toArray())?.join("")}, ${answer?.headers.connection}`;
}

test("a connection that was idle when the server closed has its next request answered, with the notice that it ends", async () => {
  server.on("request", (_request, response) => response.end("here"));
  expect(await ask()).toBe("here, keep-alive");
  const drained = drain(LONG);
  expect(await ask()).toBe("here, close");
  await drained;
  await expect(ask()).rejects.toThrow("ECONNREFUSED");
});

test("what is being answered when the server closes carries the notice too", async () => {
  const arrived = Promise.withResolvers<ServerResponse>();
  server.on("request", (_request, response) => arrived.resolve(response));
  const asked = ask();
  const response = await arrived.promise;
  const drained = drain(LONG);
  response.end("finished");
  expect(await asked).toBe("finished, close");
  await drained;
});

test("a request that has arrived when its connection was about to be closed is answered, however busy the server was", async () => {
  server.on("request", (_request, response) => response.end("here"));
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  await once(socket, "data");
  const drained = drain(LONG);
  // Written in the same turn in which the server is kept from reading for longer than it waits.
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  for (const until = performance.now() + 400; performance.now() < until; );
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 .*Connection: close/s);
  await drained;
});

test("connections on which nothing was ever sent do not keep the server from closing", async () => {
  const socket = connect(port, "127.0.0.1");
  await Promise.all([once(socket, "connect"), once(server, "connection")]);
  const closed = once(socket, "close");
  await drain(LONG);
  await closed;
});
