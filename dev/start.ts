/**
 * `npm start`: creates a local environment (database, programme, fakes for missing credentials), and runs the
 * built server in it, in its own process.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import pretty from "pino-pretty";
import { loadConfig } from "../src/config/environment.server.ts";
import { listenHttp } from "../src/http/listener/http-server.server.ts";
import { createLogger } from "../src/lib/logger.server.ts";
import type { LocalEnvironment } from "./local-environment.ts";
import { runUntilStopped } from "./run-until-stopped.ts";

const demo = fileURLToPath(new URL("./serve-demo.ts", import.meta.url));

/** Resolves with the exit code. */
async function runProduct(signal: AbortSignal): Promise<number> {
  const config = loadConfig();
  const output = pretty({
    ignore: "pid,hostname",
    translateTime: "SYS:HH:MM:ss",
    singleLine: true,
    destination: process.stdout,
  });
  // Reports a port in use before it creates anything.
  await (await listenHttp(config.host, config.port)).close(0);
  const server = startServer(output);
  await using running = new AsyncDisposableStack();
  const local = import("./local-environment.ts").then(({ createLocalEnvironment }) =>
    createLocalEnvironment(config, createLogger(config.logLevel, output), signal),
  );
  running.defer(() => local.then((opened) => opened[Symbol.asyncDispose]()).catch(() => {}));
  running.use(server);
  server.open(await local);
  if (signal.aborted) return 0;
  const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
  await Promise.race([server.ready, server.ended, stopped]);
  if (!server.hasEnded() && !signal.aborted)
    console.log(`\nFront Row is open at ${config.origin} (Ctrl-C stops it)`);
  await Promise.race([server.ended, stopped]);
  console.log(signal.aborted ? "Stopping …" : "The server has exited. Its output is above.");
  return signal.aborted ? 0 : 1;
}

interface ServerProcess extends AsyncDisposable {
  open(local: LocalEnvironment): void;
  /** Resolves when the server accepts requests. */
  ready: Promise<unknown>;
  ended: Promise<unknown>;
  hasEnded(): boolean;
}

/**
 * Loads its code while the database starts. Detached, so that the terminal's Ctrl-C reaches only this process, which
 * stops it. Exits by itself after this process.
 */
function startServer(output: NodeJS.WritableStream): ServerProcess {
  const child = spawn(process.execPath, [demo], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    detached: true,
  });
  child.stdout?.pipe(output, { end: false });
  // Without a reader, it would block on a full pipe and never stop.
  output.once("close", () => child.stdout?.resume());
  const ended = once(child, "exit");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    open: ({ variables, fakes }) => void child.send({ variables, fakes }, () => {}),
    ready: once(child, "message"),
    ended,
    hasEnded,
    async [Symbol.asyncDispose]() {
      if (hasEnded()) return;
      child.kill("SIGTERM");
      await ended;
    },
  };
}

await runUntilStopped(runProduct);
