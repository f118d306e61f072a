import { freePort } from "../../dev/harness/free-port.ts";
import { readDeployed, startProxy } from "./proxy-process.ts";

/** What Debian's package sets, apart from paths; `auth_type` spares a file of passwords. */
const debianSettings = ["listen_addr = 127.0.0.1", "unix_socket_dir =", "auth_type = any"];

/** PgBouncer with Debian's settings. @param settings further lines, such as `pool_mode = transaction` */
export async function startPgBouncer(databaseUrl: string, ...settings: string[]) {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const own = await freePort();
  const databases = `[databases]\n* = host=${hostname} port=${port} user=${username} password=${password}`;
  const lines = [databases, "[pgbouncer]", ...debianSettings, `listen_port = ${own}`, ...settings];
  return start(databaseUrl, own, { "pgbouncer.ini": lines.join("\n") });
}

export async function startDeployedPgBouncer(databaseUrl: string) {
  const { port, username, password } = new URL(databaseUrl);
  const own = await freePort();
  const text = await readDeployed("pgbouncer.ini", [
    [/port=5000/, `port=${port}`],
    [/listen_port = 6432/, `listen_port = ${own}`],
    [/= \/etc\/pgbouncer/, "= ."],
    [/^(logfile|pidfile) = .*\n/gm, ""],
  ]);
  return start(databaseUrl, own, { "pgbouncer.ini": text, "userlist.txt": `"${username}" "${password}"\n` });
}

/** Returns, besides, the database's URL through it. */
async function start(databaseUrl: string, port: number, files: Record<string, string>) {
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const command = () => ["pgbouncer", "-q", ...user, "pgbouncer.ini"];
  const proxy = await startProxy({ port, files, command });
  const { username, password, pathname } = new URL(databaseUrl);
  return { ...proxy, url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}` };
}
