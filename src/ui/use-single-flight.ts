import { useRef, useState } from "react";

/** Runs a task, unless one is running already. The task tells its failures itself. */
export type Run = (task: () => Promise<void>) => Promise<void>;

/** Whether a task is running, and what runs one: a second press does nothing while the first is under way. */
export function useOneAtATime(): [busy: boolean, run: Run] {
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
