import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { vi } from "vitest";
import { z } from "zod";
import { type Machine, startNetwork } from "./machines.ts";
import { readDeployed } from "./proxy-process.ts";

export const DEPLOYED_PASSWORD = "choose-another";

/** The statements of docs/operations.md. */
const createDatabase = [
  `create role frontrow login password '${DEPLOYED_PASSWORD}'`,
  "alter role frontrow set statement_timeout = '30s'",
  "create database frontrow owner frontrow encoding 'UTF8' template template0",
  "revoke all on database frontrow from public",
];

const polling = { timeout: 120_000, interval: 250 };

export async function startDatabaseCluster() {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "front-row-cluster-"));
  starting.defer(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755); // for the user of the databases
  const network = await startNetwork();
  starting.defer(network.close);
  const site = await network.addMachine("site", 1);
  const databases = [await network.addMachine("db-1", 2), await network.addMachine("db-2", 3)];
  const files = await prepareFiles(folder, network.prefix, [site, ...databases]);
  const boot = (machine: Machine) => {
    machine.start("postgres", ["etcd"], files.etcd(machine));
    if (machine !== site) machine.start("postgres", ["patroni", files.patroni(machine)]);
  };
  const members = () => readMembers(databases);
  /** The machines of primary and standby. Waits until both are in sync. */
  const settled = async () => {
    await vi
      .waitUntil(async () => isSettled(await members()), polling)
      .catch((cause: unknown) => {
        throw new Error(databases.map(({ log }) => log.join("").slice(-3_000)).join("\n\n"), { cause });
      });
    const leader = (await members()).find(isLeader)?.name;
    const [primary, standby] = leader === databases[0]?.name ? databases : databases.toReversed();
    if (!primary || !standby) throw new Error("There are not two databases");
    return { primary, standby };
  };
  for (const machine of [site, ...databases]) boot(machine);
  const { primary } = await settled();
  for (const statement of createDatabase)
    await primary.run("postgres", ["psql", "-h", "/run/postgresql", "-c", statement]);
  const started = starting.move();
  return {
    prefix: network.prefix,
    settled,
    boot,
    primaryName: async () => (await members()).find(isLeader)?.name ?? null,
    async switchover() {
      const { primary: old, standby } = await settled();
      const body = JSON.stringify({ leader: old.name, candidate: standby.name });
      const headers = { Authorization: `Basic ${btoa(`patroni:${DEPLOYED_PASSWORD}`)}` };
      const address = `http://${old.address}:8008/switchover`;
      const response = await fetch(address, { method: "POST", headers, body });
      if (!response.ok) throw new Error(await response.text());
    },
    close: () => started.disposeAsync(),
  };
}

async function prepareFiles(folder: string, prefix: string, machines: readonly Machine[]) {
  const version = (await readdir("/usr/lib/postgresql")).sort().at(-1);
  const etcd = await readDeployed("cluster/etcd.env");
  const patroni = await readDeployed("cluster/patroni.yml", [
    [/\/postgresql\/15\//g, `/postgresql/${version}/`],
  ]);
  for (const machine of machines) {
    const file = join(folder, `${machine.name}.yml`);
    await writeFile(file, forMachine(patroni, machine, prefix), { mode: 0o644 });
  }
  return {
    patroni: ({ name }: Machine) => join(folder, `${name}.yml`),
    etcd: (machine: Machine) => parseEnv(forMachine(etcd, machine, prefix)),
  };
}

/** Does the work of the `sed` in docs/operations.md, for the network of the test. */
function forMachine(text: string, { name, address }: Machine, prefix: string): string {
  const lines = text.split("\n").map((line) => {
    if (/hosts:|INITIAL_CLUSTER=/.test(line)) return line;
    return line.replace(/(name: |NAME=)db-1/, `$1${name}`).replaceAll("10.0.0.2", address);
  });
  return lines.join("\n").replaceAll("10.0.0.", `${prefix}.`);
}

const membersSchema = z.object({
  members: z.array(z.object({ name: z.string(), role: z.string(), state: z.string() })),
});
type Member = z.infer<typeof membersSchema>["members"][number];
const isLeader = ({ role, state }: Member) => role === "leader" && state === "running";
const isInSync = ({ role, state }: Member) => role === "sync_standby" && /running|streaming/.test(state);
const isSettled = (members: readonly Member[]) => members.some(isLeader) && members.some(isInSync);

async function readMembers(databases: readonly Machine[]): Promise<Member[]> {
  const answers = databases.map(async ({ address }) => {
    const response = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2_000) });
    return membersSchema.parse(await response.json()).members;
  });
  return Promise.any(answers).catch(() => []);
}
