import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { glob } from "node:fs/promises";
import { vi } from "vitest";
import { z } from "zod";
import { freePort } from "../../../dev/harness/free-port.ts";
import { endProcess } from "../../support/wait-until-ready.ts";
import { type Browser, inputBy, type Profile, type Size, type Tab } from "./browser.ts";

const response = z.object({ value: z.unknown() });
const failure = z.object({ error: z.string(), message: z.string() });
const session = z.object({ sessionId: z.string() });
const tabHandle = z.object({ handle: z.string() });

/** In ms. The driver's own limit, five minutes, would outlast the test, which then could not say why. */
const DRIVER_TIMEOUT = 45_000;

/** How long the answer to a command may take, in ms: longer than the driver waits itself. */
const COMMAND_TIMEOUT = 60_000;

export async function launchWebKit(size: Size): Promise<Browser> {
  await using starting = new AsyncDisposableStack();
  const run = (program: string, args: string[], env: NodeJS.ProcessEnv, stdio: "ignore" | "pipe") => {
    const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "ignore", stdio] });
    starting.defer(() => endProcess(child));
    return child;
  };
  const screen = run("Xvfb", ["-displayfd", "3", "-nolisten", "tcp"], process.env, "pipe");
  const display = await readDisplay(screen);
  const port = await freePort();
  run("WebKitWebDriver", [`--port=${port}`], { ...process.env, DISPLAY: display }, "ignore");
  const address = `http://127.0.0.1:${port}`;
  await vi.waitUntil(
    () =>
      fetch(`${address}/status`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { timeout: 30_000 },
  );
  const started = starting.move();
  return {
    openProfile: () => openProfile(address, size),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function openProfile(driver: string, size: Size): Promise<Profile> {
  const { sessionId } = session.parse(await send("POST", `${driver}/session`, await capabilities()));
  const call = (method: "GET" | "POST" | "DELETE", path: string, body?: object) =>
    send(method, `${driver}/session/${sessionId}${path}`, body);
  const first = z.string().parse(await call("GET", "/window"));
  let front = first;
  let isFirstUsed = false;
  await call("POST", "/window/rect", { x: 0, y: 0, ...size });

  function tabOf(handle: string): Tab {
    /** Commands go to the tab in front. */
    async function inTab(path: string, body: object): Promise<unknown> {
      if (front !== handle) await call("POST", "/window", { handle });
      front = handle;
      return call("POST", path, body);
    }
    return {
      ...inputBy((actions) => inTab("/actions", { actions })),
      goto: async (url) => void (await inTab("/url", { url })),
      reload: async () => void (await inTab("/refresh", {})),
      traverse: async (delta) => void (await inTab(delta === -1 ? "/back" : "/forward", {})),
      evaluate: async (expression) =>
        String(await inTab("/execute/sync", { script: `return ${expression}`, args: [] })),
    };
  }

  return {
    async openTab() {
      if (isFirstUsed)
        return tabOf(tabHandle.parse(await call("POST", "/window/new", { type: "tab" })).handle);
      isFirstUsed = true;
      return tabOf(first);
    },
    [Symbol.asyncDispose]: async () => void (await call("DELETE", "")),
  };
}

/** Full-screen, so that no toolbar makes the page smaller than the window or as wide as its buttons. */
async function capabilities() {
  const { value: binary } = await glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser").next();
  const options = { binary, args: ["--automation", "--full-screen"] };
  const timeouts = { pageLoad: DRIVER_TIMEOUT, script: DRIVER_TIMEOUT };
  return { capabilities: { alwaysMatch: { timeouts, "webkitgtk:browserOptions": options } } };
}

/** @throws Error with the command and the driver's message, or that there was no answer in time */
async function send(method: string, url: string, body?: object): Promise<unknown> {
  const command = `${method} ${new URL(url).pathname} ${JSON.stringify(body)?.slice(0, 200)}`;
  const signal = AbortSignal.timeout(COMMAND_TIMEOUT);
  async function exchange() {
    const received = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body) }) });
    return { ok: received.ok, ...response.parse(await received.json()) };
  }
  const { ok, value } = await exchange().catch((cause) => {
    throw new Error(`WebKitWebDriver does not answer ${command}`, { cause });
  });
  if (ok) return value;
  const { error, message } = failure.parse(value);
  throw new Error(`${command}: ${error}: ${message}`);
}

async function readDisplay(screen: ChildProcess): Promise<string> {
  const [number] = await once(screen.stdio[3] as NodeJS.ReadableStream, "data");
  return `:${String(number).trim()}`;
}
