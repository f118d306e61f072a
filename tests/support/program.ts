import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "./environment.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
export type Program = ReturnType<typeof runProgram>;

/** In its own process group, like a shell. @param command runs the program, such as `unshare …` */
export function runProgram(
  file: string,
  args: string[],
  variables: Record<string, string>,
  command: readonly string[] = [],
) {
  const [program = "", ...all] = [...command, process.execPath, file, ...args];
  const child = spawn(program, all, {
    cwd: root,
    env: { ...bareEnvironment(), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  const checks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      for (const check of checks) check();
    });
  }
  /** Resolves with the exit code or the fatal signal. */
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? 1));
  });
  return {
    process: child,
    output: () => text,
    exited,
    processes: () => withDescendants(child.pid ?? 0),
    waitForOutput: (wanted: string) =>
      new Promise<void>((resolve, reject) => {
        const check = () => text.includes(wanted) && checks.delete(check) && resolve();
        checks.add(check);
        check();
        void exited.then((code) =>
          reject(new Error(`Exited with ${code} before it printed “${wanted}”:\n${text}`)),
        );
      }),
  };
}

export const stillRunning = (pids: number[]): number[] => pids.filter((pid) => statOf(pid) !== null);

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
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

/** Null for an exited process, also for a zombie. */
function statOf(pid: number): { parent: number } | null {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return state === "Z" ? null : { parent: Number(parent) };
  } catch {
    return null;
  }
}

/** The process that runs this file. @throws Error without one */
export function processRunning(file: string, pids: number[]): number {
  const found = pids.find((pid) => commandOf(pid).includes(file));
  if (found === undefined) throw new Error(`None of the processes runs ${file}`);
  return found;
}

/** Arguments separated by NUL. Empty for an exited process. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
