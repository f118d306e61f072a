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
  /** The connection breaks in requests whose path contains this text. */
  loses: string | null;
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  close(): Promise<void>;
}

const PROBLEMS = "/problems-of-this-page";

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
    if (!left) fetch(address, { method: "POST", body, keepalive: true }).catch(() => {});
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

const script = `(${reportProblems})("${PROBLEMS}")`;
const scriptHash = `'sha256-${createHash("sha256").update(script).digest("base64")}'`;

export async function startFront(): Promise<Front> {
  const port = await freePort();
  const agent = new Agent({ keepAlive: false });
  const front = createServer((incoming, outgoing) => {
    if (incoming.url === PROBLEMS) return void receiveProblem(incoming, outgoing);
    const { method, url = "", headers } = incoming;
    if (state.loses !== null && url.includes(state.loses)) return void outgoing.destroy();
    const forwarded = request(
      state.site + url,
      { method, headers: { ...headers, "accept-encoding": "identity" }, agent },
      (response) => void passOn(response, outgoing).catch(() => outgoing.destroy()),
    );
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  async function receiveProblem(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    state.problems.push(await text(incoming));
    outgoing.writeHead(204).end();
  }
  const state: Pick<Front, "site" | "problems" | "loses"> = { site: "", problems: [], loses: null };
  const origin = await listenOnLoopback(front, port);
  return Object.assign(state, {
    origin,
    goOffline: () => closeAtOnce(front),
    async goOnline() {
      if (!front.listening) await listenOnLoopback(front, port);
    },
    close: () => closeAtOnce(front),
  });
}

async function passOn(response: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { statusCode = 502, headers } = response;
  const body = await buffer(response);
  if (body.length === 0 || !headers["content-type"]?.startsWith("text/html"))
    return void outgoing.writeHead(statusCode, headers).end(body);
  const { "content-length": _, "content-security-policy": policy, ...others } = headers;
  outgoing.writeHead(statusCode, {
    ...others,
    "content-security-policy": String(policy).replace("script-src 'self'", `script-src 'self' ${scriptHash}`),
  });
  outgoing.end(String(body).replace("<head>", `<head><script>${script}</script>`));
}
