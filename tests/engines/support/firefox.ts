import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { endProcess } from "../../support/wait-until-ready.ts";
import { type Browser, inputBy, type Size, type Tab } from "./browser.ts";

const executable = [process.env.FIREFOX_PATH, "/usr/bin/firefox", "/usr/bin/firefox-esr"].find(
  (file) => file && existsSync(file),
);

const message = z.object({
  id: z.optional(z.number()),
  type: z.string(),
  message: z.optional(z.string()),
  result: z.optional(z.unknown()),
});
const createdTab = z.object({ context: z.string() });
const createdProfile = z.object({ userContext: z.string() });
const evaluation = z.object({
  result: z.optional(z.object({ value: z.optional(z.unknown()) })),
  exceptionDetails: z.optional(z.object({ text: z.string() })),
});

export async function launchFirefox(size: Size, kept?: string): Promise<Browser> {
  await using starting = new AsyncDisposableStack();
  const folder = kept ?? (await mkdtemp(path.join(tmpdir(), "front-row-firefox-")));
  if (!kept) starting.defer(() => rm(folder, { recursive: true, force: true }));
  const args = ["--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"];
  const browser = spawn(executable ?? "firefox", args, { stdio: ["ignore", "ignore", "pipe"] });
  starting.defer(() => endProcess(browser));
  const send = await connect(await readAddress(browser));
  await send("session.new", { capabilities: {} });
  // Asked to, it writes what it has stored.
  if (kept)
    starting.defer(async () => {
      const exited = once(browser, "exit");
      void send("browser.close", {});
      await exited;
    });
  const started = starting.move();

  async function tabOf(context: string): Promise<Tab> {
    await send("browsingContext.setViewport", { context, viewport: size });
    const input = inputBy((actions) => send("input.performActions", { context, actions }));
    return {
      ...input,
      async moveMouse(point) {
        // Who uses a tab has it in front: others are hidden.
        await send("browsingContext.activate", { context });
        await input.moveMouse(point);
      },
      async goto(url) {
        await send("browsingContext.navigate", { context, url, wait: "complete" });
      },
      async reload() {
        await send("browsingContext.reload", { context, wait: "complete" });
      },
      async traverse(delta) {
        await send("browsingContext.traverseHistory", { context, delta });
      },
      async evaluate(expression) {
        const params = { expression, target: { context }, awaitPromise: true };
        const { result, exceptionDetails } = evaluation.parse(await send("script.evaluate", params));
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return String(result?.value);
      },
    };
  }

  return {
    async openProfile() {
      const profile = kept ? {} : createdProfile.parse(await send("browser.createUserContext", {}));
      const options = { type: "tab", ...profile };
      return {
        openTab: async () => tabOf(createdTab.parse(await send("browsingContext.create", options)).context),
        [Symbol.asyncDispose]: async () => void (kept || (await send("browser.removeUserContext", profile))),
      };
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function connect(address: string) {
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  const socket = new WebSocket(`${address}/session`);
  socket.addEventListener("message", ({ data }) => {
    const { id = -1, type, message: text, result } = message.parse(JSON.parse(String(data)));
    if (type === "error") pending.get(id)?.reject(new Error(text));
    else pending.get(id)?.resolve(result);
  });
  await once(socket, "open");
  return (method: string, params: object): Promise<unknown> => {
    const response = Promise.withResolvers<unknown>();
    lastId += 1;
    pending.set(lastId, response);
    socket.send(JSON.stringify({ id: lastId, method, params }));
    return response.promise;
  };
}

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
