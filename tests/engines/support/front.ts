import { createHash } from "node:crypto";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { startFakeIdentityProviders } from "../../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../../dev/harness/free-port.ts";
import { closeAtOnce, listenOnLoopback } from "../../../dev/loopback-server.ts";
import { showIdOf, writeProgramme } from "../../e2e/support/programme.ts";
import { givenRefresh, givenReviews, givenUsers } from "../../support/given.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { startSite } from "../../support/site.ts";

/** A show with 23 notes for No. */
export const NOTED = "Quiet Evening 24";

export type SiteBehindFront = Awaited<ReturnType<typeof startSiteBehindFront>>;

export async function startSiteBehindFront(running: AsyncDisposableStack) {
  const database = await createTestDatabase();
  running.defer(database.close);
  await writeProgramme(database.db);
  await givenRefresh(database.db);
  const authors = await givenUsers(database.db, 23);
  const row = { show_id: showIdOf(NOTED), audience_interaction: "no" as const };
  const noted = authors.map((user_id, age) => ({
    ...row,
    user_id,
    notes: `Note ${age + 1}`,
    created_at: new Date(Date.UTC(2025, 6, 30 - age)),
  }));
  await givenReviews(database.db, noted);
  const front = await startFront();
  running.defer(front.close);
  const providers = await startFakeIdentityProviders(front.origin);
  running.defer(providers.close);
  const variables = { DATABASE_URL: database.url, ORIGIN: front.origin, ...providers.variables };
  const site = await startSite(variables);
  running.defer(async () => void (await site.stop()));
  front.site = site.origin;
  return {
    front,
    /** Until the test ends, the front has another server behind it. */
    async replaceServer(changes: Record<string, string>, program?: string) {
      const other = await startSite({ ...variables, ...changes }, program);
      onTestFinished(async () => {
        front.site = site.origin;
        await other.stop();
      });
      front.site = other.origin;
    },
  };
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

export type Front = Awaited<ReturnType<typeof startFront>>;

/**
 * A proxy in front of the site. It can cut the connection. It adds a script to pages that reports their problems,
 * because not every driver reports them.
 */
async function startFront() {
  const state = {
    /** Where requests go. */
    site: "",
    /** What pages have reported: errors in the console, uncaught errors, violations of their policy. */
    problems: [] as string[],
    /** Comes before each request goes on; the connection breaks if it throws. */
    meet: (_request: IncomingMessage): unknown => undefined,
  };
  // Not the front: what goes wrong without a connection is reported, too.
  const listener = createServer(async (incoming, outgoing) => {
    state.problems.push(await text(incoming));
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
