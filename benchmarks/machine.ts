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

function distribution(): string {
  return parseEnv(readFileSync("/etc/os-release", "utf8")).PRETTY_NAME ?? "unknown";
}

async function postgresqlVersion(dataDir: string): Promise<string> {
  const { postgres, env } = await findBinaries(join(dataDir, "libraries"));
  const { stdout } = await promisify(execFile)(postgres, ["--version"], { env });
  return stdout.replace(/^.*\)/, "").trim();
}
