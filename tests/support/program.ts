import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { commandOf, descendants, stateOf } from "../../dev/harness/processes.ts";
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
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  /** Resolves with the exit code or the fatal signal. */
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? 1));
  });
  return {
    process: child,
    output: () => text,
    exited,
    processes: () => [child.pid ?? 0, ...descendants(child.pid ?? 0)],
    async waitForOutput(wanted: string): Promise<void> {
      let code: unknown;
      while (!text.includes(wanted)) {
        if (code !== undefined)
          throw new Error(`Exited with ${code} before it printed “${wanted}”:\n${text}`);
        code = await Promise.race([exited, pause(20)]);
      }
    },
  };
}

/** A zombie has exited. */
export const stillRunning = (pids: number[]): number[] => pids.filter((pid) => /[^Z]/.test(stateOf(pid)));

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

/** The process that runs this file. @throws Error without one */
export function processRunning(file: string, pids: number[]): number {
  const found = pids.find((pid) => commandOf(pid).includes(file));
  if (found === undefined) throw new Error(`None of the processes runs ${file}`);
  return found;
}
