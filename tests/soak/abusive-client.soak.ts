import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { createHistogram } from "node:perf_hooks";
import { afterAll, expect, test } from "vitest";
import { startSite, temporaryDataDir } from "../../dev/harness/running-site.ts";
import { expectWithin } from "../support/print-figure.ts";
import { sendRequest } from "../support/request-with-host.ts";

/** The limit of the other visitors' p95 while one client sends as much as it can, in multiples of the time before. */
const MAX_FACTOR = 10;
const SECONDS = 15;
const QUIET_SECONDS = 3;
const running = new AsyncDisposableStack();
afterAll(() => running.disposeAsync());
const trusting = { TRUSTED_PROXIES: "127.0.0.1" };
const { origin } = await startSite(await temporaryDataDir(running), running, trusting);
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());
let sent = 0;
const unique = (path: string) => () => `${path}${sent++}`;
const address = () => "203.0.113.1";
/** Each request has another address of one /48. */
const network = () => `2001:db8:1:${(sent++ % 65_536).toString(16)}::1`;

test.each([
  ["the start page", () => "/", address],
  ["pages that are not cached", unique("/?search=x"), address],
  ["searches that are not cached", unique("/api/shows?search=x"), address],
  ["addresses that do not exist", unique("/nowhere/"), address],
  ["notes of shows", unique("/api/reviews?show_id="), address],
  ["steps of signing in", unique("/auth/v1/callback?state="), address],
  ["health", unique("/healthz?"), address],
  ["the description of the API", unique("/api/openapi.json?"), address],
  ["a file", unique("/favicon.svg?"), address],
  ["pages, from all over a /48", unique("/?search=y"), network],
  ["searches, from all over a /48", unique("/api/shows?search=y"), network],
  ["steps of signing in, from all over a /48", unique("/auth/v1/callback?state="), network],
])("a client that floods %s on 100 connections delays no other client", async (what, next, client) => {
  const quiet = await browse(QUIET_SECONDS);
  const flood = startPipelinedFlood({ client, next, connections: 100, pipelined: 32 });
  const { p95, statuses } = await browse(SECONDS);
  flood.stop();
  console.log(`  others: ${JSON.stringify(statuses)}; the client: ${JSON.stringify(flood.statuses)}`);
  expect(Object.keys(statuses)).toEqual(["200"]);
  const bound = { quiet: quiet.p95, factor: MAX_FACTOR };
  expectWithin(`p95 of others while a client floods ${what}`, p95, bound);
});

const paths = ["/", "/?page=2", "/api/shows", "/api/shows?page=3", "/auth", "/healthz", "/?search=z"];

async function browse(seconds: number): Promise<{ p95: number; statuses: Record<string, number> }> {
  const latencies = createHistogram();
  const statuses: Record<string, number> = {};
  const end = performance.now() + seconds * 1000;
  for (let n = 0; performance.now() < end; n++) {
    const path = paths[n % paths.length] ?? "/";
    const began = performance.now();
    // Never cached, also by an earlier row.
    const status = await get(path.replace("=z", `=z${sent++}`), `198.51.100.${n % 200}`);
    latencies.record(Math.max(1, Math.round((performance.now() - began) * 1000)));
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return { p95: latencies.percentile(95) / 1000, statuses };
}

async function get(path: string, client: string): Promise<number> {
  const headers = { apikey: "front-row-public", "Accept-Encoding": "br", "X-Forwarded-For": client };
  return (await sendRequest(origin + path, { agent, headers })).status;
}

interface FloodOptions {
  client: () => string;
  next: () => string;
  connections: number;
  /** Each connection sends this many requests at once, and the next ones after all responses. */
  pipelined: number;
}

const common = "apikey: front-row-public\r\nAccept-Encoding: br\r\n";
const statusLine = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LINE_LENGTH = "HTTP/1.1 200 ".length - 1;

function startPipelinedFlood({ client, next, connections, pipelined }: FloodOptions) {
  const { hostname, port, host } = new URL(origin);
  const statuses: Record<string, number> = {};
  const sockets = new Set<Socket>();
  let isStopped = false;

  function open(): void {
    if (isStopped) return;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let pending = 0;
    let rest = "";
    const request = () =>
      `GET ${next()} HTTP/1.1\r\nHost: ${host}\r\n${common}X-Forwarded-For: ${client()}\r\n\r\n`;
    function send(): void {
      pending = pipelined;
      socket.write(Array.from({ length: pipelined }, request).join(""));
    }
    sockets.add(socket);
    socket.on("connect", send).on("error", () => {});
    socket.setEncoding("latin1").on("data", (part: string) => {
      const text = rest + part;
      for (const [, status = ""] of text.matchAll(statusLine)) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        pending--;
      }
      // An incomplete status line.
      rest = text.slice(-STATUS_LINE_LENGTH).replaceAll(statusLine, "");
      if (pending <= 0 && !isStopped) send();
    });
    socket.on("close", () => sockets.delete(socket) && open());
  }

  for (let opened = 0; opened < connections; opened++) open();
  return {
    statuses,
    stop() {
      isStopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
