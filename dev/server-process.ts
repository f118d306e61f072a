import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../build/server/main.js", import.meta.url));
const worldAwaited = new URL("world-awaited.mjs", import.meta.url).href;

/** A server that has loaded its code, or is about to, and waits for the world that it is to live in. */
export interface WaitingServer extends AsyncDisposable {
  /** Lets it begin with these variables, its log going to `output`. */
  begin(variables: Record<string, string>, output: NodeJS.WritableStream): ServerProcess;
}

export interface ServerProcess extends AsyncDisposable {
  /** Resolves when it answers. */
  ready: Promise<unknown>;
  /** Resolves when it is gone, however it went. */
  ended: Promise<unknown>;
  hasEnded(): boolean;
}

/**
 * Starts the server as production does, but for its waiting. It is out of reach of the terminal's Ctrl-C, so that
 * it is told to stop once and in order; it ends by itself when this process is gone. Disposing of it lets it finish what it is answering.
 */
export function loadServer(): WaitingServer {
  const child = spawn(process.execPath, ["--import", worldAwaited, main], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    detached: true,
  });
  const ended = once(child, "exit");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (hasEnded()) return;
    child.kill("SIGTERM");
    await ended;
  };
  return {
    begin(variables, output) {
      child.stdout?.pipe(output, { end: false });
      child.send(variables, () => {}); // one that is gone has ended
      return { ready: once(child, "message"), ended, hasEnded, [Symbol.asyncDispose]: stop };
    },
    [Symbol.asyncDispose]: stop,
  };
}
