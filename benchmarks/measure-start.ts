import { execFileSync } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findServer, residentMemory } from "../dev/harness/processes.ts";
import { startSite } from "../dev/harness/running-site.ts";
import { findPackage, findPrograms } from "../src/database/trial/programs.server.ts";
import { openData } from "./data.ts";
import { type Figures, significant } from "./goals.ts";
import { median, medianRatio } from "./load.ts";
import { startRival } from "./rivals/start.ts";

/** Goal 7: starts on existing data, in turn with those of an empty server, and of Node and PostgreSQL alone. */
export async function measureStart(
  dataDir: string,
  starts: number,
  running: AsyncDisposableStack,
): Promise<Figures> {
  const memory = { own: [] as number[], empty: [] as number[] };
  const times = { own: [] as number[], alone: [] as number[] };
  for (let start = 0; start < starts; start++) {
    times.alone.push(await startAlone(dataDir));
    const processes = running.use(new AsyncDisposableStack());
    const site = await startSite(dataDir, processes);
    times.own.push(site.startedIn);
    const { url } = await openData(dataDir, processes);
    const empty = await startRival("empty", url, processes);
    await (await fetch(empty.origin)).text();
    await delay(2_000);
    memory.own.push(residentMemory(findServer(site.pid), "now"));
    memory.empty.push(residentMemory(empty.pid, "now"));
    await processes.disposeAsync();
  }
  const compared = (own: number[], other: number[], unit: string, name: string) => ({
    value: medianRatio(own, other),
    detail: `${significant(median(own))} ${unit}, ${name} ${significant(median(other))} ${unit}`,
  });
  return {
    memory: compared(memory.own, memory.empty, "MB", "empty"),
    secondStart: compared(times.own, times.alone, "ms", "alone"),
  };
}

/** How long `node` and `pg_ctl start` take, one after the other, in ms. */
async function startAlone(dataDir: string): Promise<number> {
  const cluster = path.join(dataDir, "postgres");
  const { postgres } = await findPrograms(findPackage(), cluster);
  const program = path.join(path.dirname(postgres.at(-1) ?? ""), "pg_ctl");
  const pgCtl = (...args: string[]) => {
    const [command = "", ...rest] = [
      ...postgres.slice(0, -1),
      program,
      `--pgdata=${cluster}`,
      "--wait",
      ...args,
    ];
    execFileSync(command, rest, { cwd: "/", stdio: "ignore", env: { PATH: process.env.PATH, LC_ALL: "C" } });
  };
  const began = performance.now();
  execFileSync(process.execPath, ["--eval", ""]);
  pgCtl("start", `--options=-c listen_addresses= -k ${cluster}`);
  const took = performance.now() - began;
  pgCtl("stop");
  return took;
}
