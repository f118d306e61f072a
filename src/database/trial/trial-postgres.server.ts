import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { constants, existsSync } from "node:fs";
import { mkdir, open, readFile, realpath, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { codeOf, messageOf } from "../../lib/error-message.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { findPackage, findPrograms } from "./programs.server.ts";

interface TrialOptions {
  dataDir: string;
  log: Logger;
  signal?: AbortSignal | undefined;
  settings?: Record<string, string>;
  /** Refuses a folder without a database. */
  mustExist?: boolean;
}

const defaults = {
  io_method: "sync",
  jit: "off",
  log_error_verbosity: "terse", // otherwise errors quote stored values, such as e-mail addresses
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
};

const LOCKED = 75;

/**
 * Each of its processes holds the lock of flock(2), which any container heeds. Its input ends when this process ends, even
 * by SIGKILL. Then all processes of initdb are killed, or the server gets SIGINT, by which it shuts down.
 */
const script = ({ cluster, log, initdb, postgres }: Record<string, string>) => `
[ "$(uname)" = Darwin ] || flock -n 3 || exit ${LOCKED}
umask 077
trap '' HUP INT TERM
exec 4<&0 </dev/null >${log} 2>&1
run() {
  signal=$1
  shift
  "$@" 4<&- &
  program=$!
  (while read -r _ <&4; do :; done; [ $signal = INT ] || program=0
    while kill -s $signal "$program" 2>/dev/null; do sleep 0.2 3<&-; done) & # again: a server that begins ignores it
  wait "$program"
  status=$?
  kill -s KILL "$!" 2>/dev/null
  wait "$!" 2>/dev/null # it holds the lock
  return "$status"
}
[ -e ${cluster} ] || { rm -rf ${cluster}.new && run KILL ${initdb} && mv ${cluster}.new ${cluster}; } || exit 1
rm -f ${cluster}/postmaster.pid # the process ID in it may be another process's now
run INT ${postgres}
`;

/** In ms. A server whose app was killed may take so long to shut down. */
const PATIENCE = 10_000;

/** The PostgreSQL of `npm start`, while this process runs. Close all connections before `stop`. @throws OperatorError */
export async function startTrialPostgres(options: TrialOptions) {
  const { dataDir, log, mustExist } = options;
  const root = findPackage();
  if (mustExist && !existsSync(path.join(dataDir, "postgres")))
    throw new OperatorError(
      `There is no database in ${dataDir}, and this command creates none: check DATA_DIR, or start the site first.`,
    );
  try {
    await mkdir(dataDir, { recursive: true });
    const server = await startServer(root, await realpath(dataDir), options);
    let isStopping = false;
    void server.exited.then(() => {
      if (!isStopping) log.error(`The database in ${dataDir} has ended unexpectedly: start Front Row again`);
    });
    return {
      url: server.url,
      stop() {
        isStopping = true;
        return server.stop();
      },
    };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The database in ${dataDir} does not start: ${messageOf(error)}. Remedy that, set another DATA_DIR, or delete the folder to begin anew.`,
    );
  }
}

async function startServer(root: string, folder: string, { settings = {}, signal }: TrialOptions) {
  const [cluster, log] = [path.join(folder, "postgres"), path.join(folder, "postgres.log")];
  const { initdb, postgres } = await findPrograms(root, cluster);
  const passwordFile = path.join(folder, "password");
  if (!existsSync(cluster)) await createPassword(passwordFile);
  const password = await readFile(passwordFile, "utf8");
  const access = ["--username=front_row", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const { port = await findPort() } = settings;
  const options = Object.entries({ ...defaults, port, ...settings }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const commands = script({
    cluster: quote(cluster),
    log: quote(log),
    initdb: quote(...initdb, `--pgdata=${cluster}.new`, ...access, ...locale),
    postgres: quote(...postgres, "-D", cluster, ...options),
  });
  const isReady = async () => (await readReadyPort(cluster)) === port;
  for (const since = performance.now(); ; await pause(50, undefined, { signal })) {
    const server = await spawnLocked(commands, path.join(folder, "postgres.lock"));
    signal?.addEventListener("abort", server.stop);
    // No timeout: crash recovery may take long.
    while (server.isRunning() && !(await isReady())) await pause(25);
    signal?.removeEventListener("abort", server.stop);
    if (signal?.aborted) await server.stop();
    signal?.throwIfAborted();
    if (server.isRunning()) return { ...server, url: urlOf(port, password) };
    if ((await server.exited) !== LOCKED)
      throw new Error(`${lastError(await readFile(log, "utf8"))} (${log})`);
    if (performance.now() - since > PATIENCE)
      throw new Error("another Front Row uses it, which must be stopped first");
  }
}

/** A flag of open(2) on macOS, which has no command `flock`. */
const O_EXLOCK = 0x20;

const { O_CREAT, O_NONBLOCK, O_RDONLY } = constants;

/** Without LC_ALL, some platforms start threads in the postmaster, and PostgreSQL refuses to start. */
const env = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };

/** In a session of its own, so that it gets no Ctrl-C. */
async function spawnLocked(commands: string, lockFile: string) {
  const flags = process.platform === "darwin" ? O_EXLOCK | O_NONBLOCK : 0;
  const lock = await open(lockFile, O_RDONLY | O_CREAT | flags).catch((error: unknown) => {
    if (codeOf(error) === "EAGAIN") return null;
    throw error;
  });
  const child = spawn("/bin/sh", ["-c", lock ? commands : `exit ${LOCKED}`], {
    ...{ env, cwd: "/", detached: true },
    stdio: ["pipe", "ignore", "ignore", lock?.fd ?? "ignore"],
  });
  child.stdin?.on("error", () => {}); // EPIPE after its exit
  const exited = once(child, "exit").then(([code]) => code);
  await lock?.close();
  return {
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.stdin?.end();
      await exited;
    },
  };
}

const quote = (...words: string[]) => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");

/** Keeps one of a first start that did not end, or that another process makes. */
async function createPassword(file: string): Promise<void> {
  const password = randomBytes(24).toString("base64url");
  await writeFile(file, password, { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

function lastError(log: string): string {
  const lines = log.trim().split("\n");
  const last = lines.findLast((line) => /(error|FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? "";
  return last.replace(/^.*(error|FATAL|PANIC): +/, "") || "it ended without a message, as on a full disk";
}

async function findPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? `${address?.port}` : "";
}

/** `postmaster.pid` has the port in line 4, the state in line 8. */
async function readReadyPort(cluster: string): Promise<string | undefined> {
  const lines = (await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  return lines[7]?.trim() === "ready" ? lines[3] : undefined;
}

/** Of the server that another process runs on the folder. Null without one. */
export async function findTrialUrl(dataDir: string): Promise<string | null> {
  const port = await readReadyPort(path.join(dataDir, "postgres"));
  return port ? urlOf(port, await readFile(path.join(dataDir, "password"), "utf8")) : null;
}

/** Sets all that `pg` would otherwise read from environment variables, as it does for empty options. */
const parameters =
  "sslmode=disable&sslnegotiation=postgres&client_encoding=UTF8&replication=false&options=-c%20timezone%3DUTC";

const urlOf = (port: string, password: string) =>
  `postgres://front_row:${password}@127.0.0.1:${port}/postgres?${parameters}`;
