import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "./environment.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A program of the project, running. */
export interface Program {
  process: ChildProcess;
  /** Everything it has printed so far. */
  output(): string;
  /** Resolves when it has printed the text; rejects when it ends without. */
  waitForOutput(text: string): Promise<void>;
  /** Resolves with the exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals>;
  /** Its process ids and those of all processes below it, now. */
  processes(): number[];
}

/** Runs `node <file>` as a shell would: in a process group of its own, with these variables over a bare environment. */
export function runProgram(file: string, args: string[], variables: Record<string, string>): Program {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...bareEnvironment(), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      for (const look of waiting) look();
    });
  }
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? 1));
  });
  return {
    process: child,
    output: () => text,
    exited,
    processes: () => withDescendants(child.pid ?? 0),
    waitForOutput: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => text.includes(wanted) && waiting.delete(look) && resolve();
        waiting.add(look);
        look();
        void exited.then((code) => reject(new Error(`Ended with ${code} before it printed “${wanted}”:\n${text}`)));
      }),
  };
}

/** Of the given processes, those that still run. */
export function stillRunning(pids: number[]): number[] {
  return pids.filter((pid) => statOf(pid) !== null);
}

function withDescendants(pid: number): number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const below = (parent: number): number[] => {
    const children = all.filter((other) => statOf(other)?.parent === parent);
    return [parent, ...children.flatMap(below)];
  };
  return below(pid);
}

/** A process that has ended but was not waited for does not count. */
function statOf(pid: number): { parent: number } | null {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return state === "Z" ? null : { parent: Number(parent) };
  } catch {
    return null;
  }
}

/** The process that runs this file, among the given ones. */
export function processRunning(file: string, pids: number[]): number {
  const found = pids.find((pid) => commandOf(pid).includes(file));
  if (found === undefined) throw new Error(`None of the processes runs ${file}`);
  return found;
}

/** Empty when it has ended meanwhile. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
