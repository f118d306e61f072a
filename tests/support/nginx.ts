import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntilReady } from "./wait-until-ready.ts";

const usualPlaces = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"];

/** The path of an nginx: the system's, or where that is Debian's and ours to change, one installed now. Null, and said, where there is none. */
export async function findNginx(): Promise<string | null> {
  const installed = () => usualPlaces.find((path) => existsSync(path)) ?? null;
  if (installed()) return installed();
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("Installing nginx for the tests of several instances …");
    // At this run level Debian does not start what it installs.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    const apt = (...args: string[]) => once(spawn("apt-get", args, { stdio: "ignore", env }), "exit");
    await apt("update");
    await apt("install", "--yes", "--no-install-recommends", "nginx-light");
  }
  if (!installed()) console.log("Skipped: several instances behind nginx, because there is no nginx. Install one.");
  return installed();
}

/** nginx as deploy/nginx.conf has it, in front of several servers of this machine. */
export interface Nginx {
  origin: string;
  /** Ends it; nothing of it is left. @throws Error with what it complained of meanwhile, when that was grave */
  close(): Promise<void>;
}

/** @param ports where the servers listen */
export async function startNginx(program: string, port: number, ports: readonly string[]): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), "front-row-nginx-"));
  // Its workers are another user where it is root.
  await chmod(folder, 0o755);
  const documented = await readFile(new URL("../../deploy/nginx.conf", import.meta.url), "utf8");
  await writeFile(join(folder, "front-row.conf"), withoutTls(withServers(documented, ports), port));
  await writeFile(join(folder, "nginx.conf"), around);
  const args = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilReady(origin, child, () => "See what it printed above.");
  return {
    origin,
    async close() {
      await end(child);
      await rm(folder, { recursive: true });
    },
  };
}

/** What a distribution's own nginx.conf has, in a folder of ours. */
const around = `
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

/** The same on one port of this machine, without certificates, and without the way from http to https. */
function withoutTls(text: string, port: number): string {
  const one = replace(text, /^server \{\n\tlisten 80;.*?^\}\n/ms, () => "");
  const plain = replace(one, /(^\tlisten .*443 .*\n)+/m, () => `\tlisten 127.0.0.1:${port};\n`);
  return replace(plain, /(^\tssl_.*\n)+/m, () => "");
}

function replace(text: string, what: RegExp, by: (...found: string[]) => string): string {
  if (!what.test(text)) throw new Error(`deploy/nginx.conf has no ${what}`);
  return text.replace(what, by);
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  if (child.exitCode !== null || !child.kill("SIGTERM")) return;
  await exited;
}
