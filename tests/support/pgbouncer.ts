import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { hasExited } from "./wait-until-ready.ts";

/** PgBouncer with Debian's settings, in front of one database. */
export interface PgBouncer {
  /** The database's URL through it. */
  url: string;
  /** Kills it and starts it again on the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param settings lines of its configuration, such as `pool_mode = transaction` */
export async function startPgBouncer(databaseUrl: string, ...settings: string[]): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "front-row-pgbouncer-"));
  await chmod(folder, 0o755);
  const ownPort = await freePort();
  const file = join(folder, "pgbouncer.ini");
  const database = `host=${hostname} port=${port} user=${username} password=${password}`;
  await writeFile(
    file,
    [
      "[databases]",
      `* = ${database}`,
      "[pgbouncer]",
      ...debianSettings,
      `listen_port = ${ownPort}`,
      ...settings,
    ].join("\n"),
  );
  // It does not run as root.
  const args = process.getuid?.() === 0 ? ["-u", "nobody", file] : [file];
  const start = async () => {
    const started = spawn("pgbouncer", args, { stdio: "ignore" });
    await vi.waitUntil(() => accepts(ownPort, started), { timeout: 30_000, interval: 20 });
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
    url: `postgres://${username}:any@127.0.0.1:${ownPort}${pathname}`,
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

/** What Debian's package sets, apart from paths; `auth_type` spares a file of passwords. */
const debianSettings = ["listen_addr = 127.0.0.1", "unix_socket_dir =", "auth_type = any"];

function accepts(port: number, child: ChildProcess): Promise<boolean> {
  if (hasExited(child)) throw new Error("PgBouncer exited before it was ready");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
