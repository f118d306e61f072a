import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../tests/support/free-port.ts";
import type { Target } from "./load/target.ts";

const main = fileURLToPath(new URL("../build/server/main.js", import.meta.url));

export interface ServerProcess extends Target {
  /** From the command to its being open, in ms. */
  startedIn: number;
  stop(): Promise<void>;
}

/**
 * A server by itself, as `npm run serve` has it, with these variables. Resolves when it answers; it ends with the stack. A festival's API that
 * is not there is enough for a server that has no reason to refresh.
 */
export async function startServer(
  variables: Record<string, string>,
  running: AsyncDisposableStack,
): Promise<ServerProcess> {
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const { PATH, HOME, TMPDIR } = process.env;
  const festival = { FESTIVAL_API_URL: "http://127.0.0.1:9", FESTIVAL_API_KEY: "bench", FESTIVAL_API_SECRET: "bench" };
  const own = { PORT: port, ORIGIN: origin, ALLOW_LOOPBACK_PROVIDERS: "1", LOG_LEVEL: "error" };
  const began = performance.now();
  const child = spawn(process.execPath, [main], {
    env: { PATH, HOME, TMPDIR, ...festival, ...own, ...variables },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  running.defer(stop);
  const failed = ended.then(() => Promise.reject(new Error("The server has ended before it was open")));
  failed.catch(() => {});
  await Promise.race([once(child, "message"), failed]);
  return { origin, pid: child.pid ?? 0, startedIn: performance.now() - began, stop };
}
