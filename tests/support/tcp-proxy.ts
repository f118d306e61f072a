import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { hasExited } from "./wait-until-ready.ts";

/** A program that passes connections on to a database. */
export interface TcpProxy {
  signal(signal: NodeJS.Signals): void;
  /** Kills it and starts it again on the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface TcpProxyOptions {
  /** The loopback port that it listens on. */
  port: number;
  /** The files of its folder, by name. */
  files: Record<string, string>;
  command(folder: string): readonly string[];
}

/** Resolves when it accepts connections. */
export async function startTcpProxy({ port, files, command }: TcpProxyOptions): Promise<TcpProxy> {
  const folder = await mkdtemp(join(tmpdir(), "front-row-tcp-proxy-"));
  await chmod(folder, 0o755); // it may run as another user
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const [program = "", ...args] = command(folder);
  const start = async () => {
    const started = spawn(program, args, { stdio: "ignore" });
    await vi.waitUntil(() => accepts(port, started), { timeout: 30_000, interval: 20 });
    return started;
  };
  let child = await start();
  const stop = async () => {
    if (hasExited(child)) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    signal: (signal) => void child.kill(signal),
    async restart() {
      await stop();
      child = await start();
    },
    async close() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

function accepts(port: number, child: ChildProcess): Promise<boolean> {
  if (hasExited(child)) throw new Error(`${child.spawnargs.join(" ")} exited before it was ready`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
