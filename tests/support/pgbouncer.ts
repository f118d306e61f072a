import { freePort } from "../../dev/harness/free-port.ts";
import { readDeployed, startProxy } from "./proxy-process.ts";

/** Debian's settings without paths. `auth_type` makes a file of passwords unnecessary. */
const debianSettings = ["listen_addr = 127.0.0.1", "unix_socket_dir =", "auth_type = any"];

/** @param settings lines after Debian's, such as `pool_mode = transaction` */
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
  const text = await readDeployed("cluster/pgbouncer.ini", [
    [/port=5000/, `port=${port}`],
    [/listen_port = 6432/, `listen_port = ${own}`],
    [/= \/etc\/pgbouncer/, "= ."],
    [/^(logfile|pidfile) = .*\n/gm, ""],
  ]);
  return start(databaseUrl, own, { "pgbouncer.ini": text, "userlist.txt": `"${username}" "${password}"\n` });
}

/** Also returns the database's URL through PgBouncer. */
async function start(databaseUrl: string, port: number, files: Record<string, string>) {
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const command = () => ["pgbouncer", "-q", ...user, "pgbouncer.ini"];
  const proxy = await startProxy({ port, files, command });
  const { username, password, pathname } = new URL(databaseUrl);
  return { ...proxy, url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}` };
}
