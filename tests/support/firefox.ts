import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";

/** The Firefox of this machine; undefined if there is none. */
export const firefoxPath = [process.env.FIREFOX_PATH, "/usr/bin/firefox", "/usr/bin/firefox-esr"].find(
  (file) => file && existsSync(file),
);

/** A session of WebDriver BiDi with a Firefox of its own. Disposal ends that. */
export interface FirefoxSession extends AsyncDisposable {
  /** The id of the tab that is open at first. */
  context: string;
  /** @throws Error with Firefox's message */
  send(method: string, params: object): Promise<unknown>;
  /** Calls the listener with the parameters of each such event from now on. */
  on(event: string, listener: (params: unknown) => void): Promise<void>;
}

/** https://www.w3.org/TR/webdriver-bidi/: a response to a command, or an event. */
const message = z.object({
  id: z.optional(z.number()),
  type: z.string(),
  message: z.optional(z.string()),
  method: z.optional(z.string()),
  result: z.optional(z.unknown()),
  params: z.optional(z.unknown()),
});
const tree = z.object({ contexts: z.tuple([z.object({ context: z.string() })]) });
const evaluation = z.object({
  result: z.optional(z.object({ value: z.optional(z.unknown()) })),
  exceptionDetails: z.optional(z.object({ text: z.string() })),
});

/** Starts Firefox with a new profile. */
export async function startFirefox(executable: string): Promise<FirefoxSession> {
  await using starting = new AsyncDisposableStack();
  const profile = await mkdtemp(path.join(tmpdir(), "front-row-firefox-"));
  starting.defer(() => rm(profile, { recursive: true, force: true }));
  const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
  const browser = spawn(executable, args, { stdio: ["ignore", "ignore", "pipe"] });
  starting.defer(() => stop(browser));

  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  const listeners = new Map<string, (params: unknown) => void>();
  let lastId = 0;
  const socket = new WebSocket(`${await readAddress(browser)}/session`);
  socket.addEventListener("message", ({ data }) => receive(message.parse(JSON.parse(String(data)))));
  await once(socket, "open");

  function send(method: string, params: object): Promise<unknown> {
    const response = Promise.withResolvers<unknown>();
    lastId += 1;
    pending.set(lastId, response);
    socket.send(JSON.stringify({ id: lastId, method, params }));
    return response.promise;
  }

  function receive({ id, type, message: text, method = "", result, params }: z.infer<typeof message>): void {
    if (id !== undefined && type === "error") pending.get(id)?.reject(new Error(text));
    else if (id !== undefined) pending.get(id)?.resolve(result);
    else listeners.get(method)?.(params);
  }

  await send("session.new", { capabilities: {} });
  const { context } = tree.parse(await send("browsingContext.getTree", {})).contexts[0];
  const started = starting.move();
  return {
    context,
    send,
    async on(event, listener) {
      listeners.set(event, listener);
      await send("session.subscribe", { events: [event] });
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Evaluates an expression in a tab. @throws Error with the exception's text */
export async function evaluateInFirefox(
  { send }: FirefoxSession,
  context: string,
  expression: string,
): Promise<unknown> {
  const params = { expression, target: { context }, awaitPromise: true };
  const { result, exceptionDetails } = evaluation.parse(await send("script.evaluate", params));
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return result?.value;
}

/** Resolves with the address that Firefox writes to its standard error. */
function readAddress(browser: ChildProcess): Promise<string> {
  let output = "";
  return new Promise((resolve, reject) => {
    browser.stderr?.on("data", (part) => {
      output += part;
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(output)?.[1];
      if (address) resolve(address);
    });
    browser.once("exit", () => reject(new Error(`Firefox did not start: ${output}`)));
  });
}

async function stop(browser: ChildProcess): Promise<void> {
  if (browser.exitCode !== null || browser.signalCode !== null) return;
  const exited = once(browser, "exit");
  browser.kill("SIGTERM");
  await exited;
}
