import { useRef, useState } from "react";

/** Runs a task, unless one is already running. The task handles its own failures. */
export type Run = (task: () => Promise<void>) => Promise<void>;

/** Returns whether a task is running, and a function that runs one. A second press does nothing meanwhile. */
export function useSingleFlight(): [busy: boolean, run: Run] {
  const running = useRef(false);
  const [busy, setBusy] = useState(false);

  function set(now: boolean): void {
    running.current = now;
    setBusy(now);
  }

  async function run(task: () => Promise<void>): Promise<void> {
    if (running.current) return;
    set(true);
    await task().finally(() => set(false));
  }
  return [busy, run];
}
