import { freePort } from "../../dev/harness/free-port.ts";
import { readDeployed, replace } from "./reverse-proxy.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/** PgBouncer in front of one database. */
export interface PgBouncer extends TcpProxy {
  /** The database's URL through it. */
  url: string;
}

/** PgBouncer with Debian's settings. @param settings further lines, such as `pool_mode = transaction` */
export async function startPgBouncer(databaseUrl: string, ...settings: string[]): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const ownPort = await freePort();
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${port} user=${username} password=${password}`,
    "[pgbouncer]",
    ...debianSettings,
    `listen_port = ${ownPort}`,
    ...settings,
  ];
  const proxy = await startTcpProxy({
    port: ownPort,
    files: { "pgbouncer.ini": lines.join("\n") },
    command,
  });
  return { ...proxy, url: `postgres://${username}:any@127.0.0.1:${ownPort}${pathname}` };
}

/** What Debian's package sets, apart from paths; `auth_type` spares a file of passwords. */
const debianSettings = ["listen_addr = 127.0.0.1", "unix_socket_dir =", "auth_type = any"];

/** PgBouncer with deploy/pgbouncer.ini. */
export async function startDeployedPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { port, username, password } = new URL(databaseUrl);
  const ownPort = await freePort();
  const url = new URL(databaseUrl);
  url.port = String(ownPort);
  const replacements: [RegExp, string][] = [
    [/port=5000/, `port=${port}`],
    [/listen_port = 6432/, `listen_port = ${ownPort}`],
    [/= \/etc\/pgbouncer/, "= ."],
    [/^(logfile|pidfile) = .*\n/gm, ""],
  ];
  const text = replacements.reduce(
    (previous, [pattern, replacement]) => replace(previous, pattern, () => replacement),
    await readDeployed("pgbouncer.ini"),
  );
  const files = { "pgbouncer.ini": text, "userlist.txt": `"${username}" "${password}"\n` };
  return { ...(await startTcpProxy({ port: ownPort, files, command })), url: url.href };
}

/** It does not run as root, and takes paths from its folder. */
const command = (folder: string) => [
  "env",
  `--chdir=${folder}`,
  "pgbouncer",
  ...(process.getuid?.() === 0 ? ["-u", "nobody"] : []),
  "pgbouncer.ini",
];
