import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { endProcess } from "./wait-until-ready.ts";

const runFile = promisify(execFile);

export type Machine = Awaited<ReturnType<Awaited<ReturnType<typeof startNetwork>>["addMachine"]>>;

/** With addresses that are reserved for tests. The tests are in it, too. Needs root. */
export async function startNetwork() {
  const number = Math.floor(Math.random() * 512);
  const prefix = `198.${18 + (number >> 8)}.${number & 255}`;
  const cable = `front-row-${number}`;
  const cables = await startNamespaces(["--net"], "true");
  const inCables = (...command: string[]) => run(["nsenter", "-t", cables.pid, "-n", ...command]);
  const namespaces = [cables];
  await inCables("ip", "link", "add", "switch", "type", "bridge");
  await inCables("ip", "link", "set", "switch", "up");
  await run(["ip", "link", "add", cable, "type", "veth", "peer", "name", "tests", "netns", cables.pid]);
  await run(["ip", "address", "add", `${prefix}.254/24`, "dev", cable]);
  await run(["ip", "link", "set", cable, "up"]);
  await inCables("ip", "link", "set", "tests", "master", "switch", "up");
  return {
    prefix,
    /** Linux namespaces with their own address, and an empty memory file system at `/var/lib` and `/run`. */
    async addMachine(name: string, host: number) {
      const address = `${prefix}.${host}`;
      const machine = await startNamespaces(["--net", "--pid", "--mount-proc"], mountMemory);
      namespaces.push(machine);
      await inCables("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", machine.pid);
      await inCables("ip", "link", "set", name, "master", "switch", "up");
      const inside = ["nsenter", "-t", machine.pid, "-n", "-p", "-m"];
      await run([...inside, "ip", "address", "add", `${address}/24`, "dev", "eth0"]);
      for (const link of ["lo", "eth0"]) await run([...inside, "ip", "link", "set", link, "up"]);
      const setCable = (state: string) => inCables("ip", "link", "set", name, state);
      const log: string[] = [];
      return {
        name,
        address,
        log,
        start(user: string, command: readonly string[], env: NodeJS.Dict<string> = {}): void {
          const [program = "", ...args] = [...inside, ...asUser(user), ...command];
          const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { PATH, ...env } });
          for (const stream of [child.stdout, child.stderr])
            stream.setEncoding("utf8").on("data", (text: string) => log.push(text));
        },
        run: (user: string, command: readonly string[]) => run([...inside, ...asUser(user), ...command]),
        // Neither the sender nor the first process gets the signal.
        signal: (signal: NodeJS.Signals) =>
          run([...inside, "sh", "-c", `kill -${signal.replace("SIG", "")} -1`]),
        /** Like an unplugged cable: drops all packets silently. */
        unplug: () => setCable("down"),
        plug: () => setCable("up"),
      };
    },
    async close() {
      // The kernel ends their processes and removes the cables.
      for (const { process } of namespaces) await endProcess(process, "SIGKILL");
    },
  };
}

const { PATH } = process.env;

/** Isolates machines from each other and from the host. */
const mountMemory = [
  "mount -t tmpfs -o mode=755 none /var/lib",
  "mount -t tmpfs -o mode=755 none /run",
  "mkdir -m 1777 /var/lib/postgresql /var/lib/etcd /run/postgresql",
].join(" && ");

const asUser = (user: string) => ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups"];

/** The first process sleeps. It ignores SIGCHLD, so that the kernel removes orphans that end. */
const adoptOrphans = '$SIG{CHLD} = "IGNORE"; sleep';

/** Starts the first process. @param setUp a shell command that runs before it */
async function startNamespaces(kinds: readonly string[], setUp: string) {
  const args = ["--pdeathsig", "KILL", "unshare", ...kinds, "--fork", "--kill-child"];
  const shell = ["sh", "-c", `${setUp} && echo ready && exec perl -e '${adoptOrphans}'`];
  const child = spawn("setpriv", [...args, ...shell], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit").then(() => {
    throw new Error(
      `unshare ${kinds.join(" ")} failed: this needs root, outside of an unprivileged container`,
    );
  });
  await Promise.race([once(child.stdout, "data"), exited]);
  exited.catch(() => {}); // until it is closed
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
  return { process: child, pid: children.trim() };
}

async function run([program = "", ...args]: readonly string[]): Promise<string> {
  return (await runFile(program, args)).stdout;
}
