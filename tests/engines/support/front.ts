import { createHash } from "node:crypto";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { freePort } from "../../../dev/harness/free-port.ts";
import { closeAtOnce, listenOnLoopback } from "../../../dev/loopback-server.ts";

/**
 * A proxy in front of the site. It can cut the connection. It adds a script to pages that reports their problems,
 * because not every driver reports them.
 */
export interface Front {
  origin: string;
  /** Where requests go. */
  site: string;
  /** What pages have reported: errors in the console, uncaught errors, violations of their policy. */
  problems: string[];
  /** Comes before each request goes on; the connection breaks if it throws. */
  meet: (request: IncomingMessage) => unknown;
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  close(): Promise<void>;
}

/** Runs in pages, before their own scripts. */
function reportProblems(address: string): void {
  // In WebKit, requests fail when the browser leaves their page.
  let left = false;
  addEventListener("beforeunload", () => {
    left = true;
  });
  addEventListener("pageshow", () => {
    left = false;
  });
  const report = (problem: string) => {
    const body = `${location.href}: ${problem}`;
    if (!left) fetch(address, { method: "POST", body, keepalive: true, mode: "no-cors" }).catch(() => {});
  };
  for (const level of ["error", "warn"] as const) {
    const log = console[level];
    console[level] = (...args) => {
      report(`console.${level}: ${args.join(" ")}`);
      log(...args);
    };
  }
  addEventListener("error", ({ message, filename, lineno }) => report(`${message} (${filename}:${lineno})`));
  addEventListener("unhandledrejection", ({ reason }) => report(`unhandled rejection: ${reason}`));
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
    report(`policy ${violatedDirective}: ${blockedURI} ${sample}`),
  );
}

export async function startFront(): Promise<Front> {
  const problems: string[] = [];
  // Not the front: what goes wrong without a connection is reported, too.
  const listener = createServer(async (incoming, outgoing) => {
    problems.push(await text(incoming));
    outgoing.writeHead(204).end();
  });
  const reports = await listenOnLoopback(listener, 0);
  const agent = new Agent({ keepAlive: false });
  const front = createServer(async (incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    try {
      await state.meet(incoming);
    } catch {
      return void outgoing.destroy();
    }
    const forwarded = request(
      state.site + url,
      { method, headers: { ...headers, "accept-encoding": "identity" }, agent },
      (response) => void passOn(response, outgoing, reports).catch(() => outgoing.destroy()),
    );
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const state: Pick<Front, "site" | "problems" | "meet"> = { site: "", problems, meet: () => {} };
  const port = await freePort();
  const origin = await listenOnLoopback(front, port);
  return Object.assign(state, {
    origin,
    goOffline: () => closeAtOnce(front),
    async goOnline() {
      if (!front.listening) await listenOnLoopback(front, port);
    },
    async close() {
      await Promise.all([front, listener].map(closeAtOnce));
    },
  });
}

async function passOn(response: IncomingMessage, outgoing: ServerResponse, reports: string): Promise<void> {
  const { statusCode = 502, headers } = response;
  const script = `(${reportProblems})("${reports}")`;
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = headers["content-security-policy"];
  // Also of a 304: browsers take its headers for the page that they have.
  if (policy)
    headers["content-security-policy"] = String(policy)
      .replace("script-src 'self'", `script-src 'self' 'sha256-${hash}'`)
      .replace("connect-src 'self'", `connect-src 'self' ${reports}`);
  const body = await buffer(response);
  if (body.length === 0 || !headers["content-type"]?.startsWith("text/html"))
    return void outgoing.writeHead(statusCode, headers).end(body);
  delete headers["content-length"];
  outgoing.writeHead(statusCode, headers);
  outgoing.end(String(body).replace("<head>", `<head><script>${script}</script>`));
}
