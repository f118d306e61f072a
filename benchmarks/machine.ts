import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseEnv, promisify } from "node:util";
import { findBinaries } from "../src/database/embedded/binaries.server.ts";

/** What the figures depend on. */
export interface Machine {
  processor: string;
  cores: number;
  /** In GB. */
  memory: number;
  system: string;
  node: string;
  postgresql: string;
}

/** This machine, without anything that tells which one it is. */
export async function describeMachine(dataDir: string): Promise<Machine> {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memory: Math.round(totalmem() / 2 ** 30),
    system: `${distribution()}, ${type()} ${release().split(".", 2).join(".")}`,
    node: process.version.slice(1),
    postgresql: await postgresqlVersion(dataDir),
  };
}

/**
 * Begins to watch what other guests of the same host take of this machine's processors. Answers what tells the part of the processors'
 * time since then.
 */
export function watchTheft(): () => number {
  const before = processorTimes();
  return () => {
    const now = processorTimes();
    return (now.stolen - before.stolen) / (now.all - before.all);
  };
}

/** What all processors have spent since the machine started, and how much of it elsewhere (proc(5), /proc/stat), in ticks. */
function processorTimes(): { all: number; stolen: number } {
  const [, user, nice, system, idle, iowait, irq, softirq, steal] = readFileSync("/proc/stat", "utf8")
    .split(/\s+/, 9)
    .map(Number);
  const times = [user, nice, system, idle, iowait, irq, softirq, steal].map((ticks = 0) => ticks);
  return { all: times.reduce((sum, ticks) => sum + ticks, 0), stolen: steal ?? 0 };
}

function distribution(): string {
  return parseEnv(readFileSync("/etc/os-release", "utf8")).PRETTY_NAME ?? "unknown";
}

async function postgresqlVersion(dataDir: string): Promise<string> {
  const { postgres, env } = await findBinaries(join(dataDir, "libraries"));
  const { stdout } = await promisify(execFile)(postgres, ["--version"], { env });
  return stdout.replace(/^.*\)/, "").trim();
}
