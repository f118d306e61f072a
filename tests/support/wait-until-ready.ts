import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

export async function waitUntilReady(origin: string, child: ChildProcess, readOutput: () => string) {
  while (!hasExited(child)) {
    const response = await fetch(`${origin}/healthz`).catch(() => null);
    if (response?.ok) return;
    await pause(20);
  }
  throw new Error(`${child.spawnargs.join(" ")} exited before it was ready:\n${readOutput()}`);
}

export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (hasExited(child)) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}
