import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../../dev/harness/free-port.ts";
import { limitConnections } from "./connections.server.ts";

const LONG = 60_000;
let server: Server;
let port: number;
let drain: (timeout: number) => Promise<void>;
let agent: Agent;

beforeEach(async () => {
  server = createServer();
  drain = limitConnections(server, 100);
  port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(() => agent.destroy());

async function sendRequest(): Promise<string> {
  const sent = request({ port, host: "127.0.0.1", agent }).end();
  const [response]: IncomingMessage[] = await once(sent, "response");
  return `${(await response?.toArray())?.join("")}, ${response?.headers.connection}`;
}

test("the next request on an idle connection gets a response with Connection: close", async () => {
  server.on("request", (_request, response) => response.end("here"));
  expect(await sendRequest()).toBe("here, keep-alive");
  const draining = drain(LONG);
  expect(await sendRequest()).toBe("here, close");
  await draining;
  await expect(sendRequest()).rejects.toThrow("ECONNREFUSED");
});

test("a request in flight gets a response with Connection: close", async () => {
  const received = Promise.withResolvers<ServerResponse>();
  server.on("request", (_request, response) => received.resolve(response));
  const pending = sendRequest();
  const response = await received.promise;
  const draining = drain(LONG);
  response.end("finished");
  expect(await pending).toBe("finished, close");
  await draining;
});

test("a request that arrives while the event loop is blocked gets a response", async () => {
  server.on("request", (_request, response) => response.end("here"));
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  await once(socket, "data");
  const draining = drain(LONG);
  // The event loop is blocked for longer than the interval of the server's idle checks.
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  for (const until = performance.now() + 400; performance.now() < until; );
  const [response] = await once(socket, "data");
  expect(String(response)).toMatch(/^HTTP\/1.1 200 .*Connection: close/s);
  await draining;
});

test("connections without a request do not delay closing", async () => {
  const socket = connect(port, "127.0.0.1");
  await Promise.all([once(socket, "connect"), once(server, "connection")]);
  const closed = once(socket, "close");
  await drain(LONG);
  await closed;
});
