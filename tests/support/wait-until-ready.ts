import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

/** Waits until a site answers. @throws Error with the last words of its process when that ends before */
export async function waitUntilReady(origin: string, child: ChildProcess, lastWords: () => string): Promise<void> {
  while (!hasExited(child)) {
    const answer = await fetch(`${origin}/healthz`).catch(() => null);
    if (answer?.ok) return;
    await pause(20);
  }
  throw new Error(`${child.spawnargs.join(" ")} ended before it answered:\n${lastWords()}`);
}

export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
