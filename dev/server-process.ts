import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../build/server/main.js", import.meta.url));

export interface ServerProcess extends AsyncDisposable {
  /** Resolves when it answers. */
  ready: Promise<unknown>;
  /** Resolves when it is gone, however it went. */
  ended: Promise<unknown>;
  hasEnded(): boolean;
}

/**
 * Starts the server as production does, its log going to `output`. It is out of reach of the terminal's Ctrl-C, so that
 * it is told to stop once and in order; it ends by itself when this process is gone. Disposing of it lets it finish what it is answering.
 */
export function startServer(variables: Record<string, string>, output: NodeJS.WritableStream): ServerProcess {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    detached: true,
  });
  child.stdout?.pipe(output, { end: false });
  const ended = once(child, "exit");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
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
