import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntilReady } from "./wait-until-ready.ts";

const usualPaths = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"];

/**
 * The path of the system's nginx. As root on Debian it is installed if it is missing. Null, with a message on
 * the console, if there is none.
 */
export async function findNginx(): Promise<string | null> {
  const installed = () => usualPaths.find((path) => existsSync(path)) ?? null;
  if (installed()) return installed();
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("Installing nginx for the tests of several instances …");
    // At this run level Debian does not start the service.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    const apt = (...args: string[]) => once(spawn("apt-get", args, { stdio: "ignore", env }), "exit");
    await apt("update");
    await apt("install", "--yes", "--no-install-recommends", "nginx-light");
  }
  if (!installed()) console.log("Skipped: several instances behind nginx, because there is no nginx. Install one.");
  return installed();
}

/** nginx with deploy/nginx.conf, in front of several servers on this machine. */
export interface Nginx {
  origin: string;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

/** @param ports the ports of the servers */
export async function startNginx(program: string, port: number, ports: readonly string[]): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), "front-row-nginx-"));
  // nginx started by root runs its workers as another user.
  await chmod(folder, 0o755);
  const deployed = await readFile(new URL("../../deploy/nginx.conf", import.meta.url), "utf8");
  await writeFile(join(folder, "front-row.conf"), withoutTls(withServers(deployed, ports), port));
  await writeFile(join(folder, "nginx.conf"), mainConfig);
  const args = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilReady(origin, child, () => "See what it printed above.");
  return {
    origin,
    async close() {
      await stop(child);
      await rm(folder, { recursive: true });
    },
  };
}

/** An nginx.conf as a distribution has it, with all paths in the test's folder. */
const mainConfig = `
daemon off;
pid pid;
worker_processes 2;
error_log error.log;
events {}
http {
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
	include front-row.conf;
}
`;

function withServers(text: string, ports: readonly string[]): string {
  return replace(text, /^(\tserver 127\.0\.0\.1:)3000(.*;\n)/m, (_line, address, rest) =>
    ports.map((port) => `${address}${port}${rest}`).join(""),
  );
}

/** The configuration on one loopback port, without TLS and without the redirect from http to https. */
function withoutTls(text: string, port: number): string {
  const oneServer = replace(text, /^server \{\n\tlisten 80;.*?^\}\n/ms, () => "");
  const plain = replace(oneServer, /(^\tlisten .*443 .*\n)+/m, () => `\tlisten 127.0.0.1:${port};\n`);
  return replace(plain, /(^\tssl_.*\n)+/m, () => "");
}

function replace(text: string, pattern: RegExp, replacer: (...matches: string[]) => string): string {
  if (!pattern.test(text)) throw new Error(`deploy/nginx.conf has no ${pattern}`);
  return text.replace(pattern, replacer);
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  if (child.exitCode !== null || !child.kill("SIGTERM")) return;
  await exited;
}
