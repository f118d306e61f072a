import { useRef, useState } from "react";
import { useToast } from "../ui/toast.tsx";
import { unexpectedError } from "./site-texts.ts";

type Task = () => Promise<unknown>;

/** The task handles its own failures. An error that it throws is a mistake in our code, and shown as such. */
export function useSingleFlight(): [busy: boolean, run: (task: Task) => Promise<void>] {
  const showToast = useToast();
  const running = useRef(false);
  const [busy, setBusy] = useState(false);

  function set(now: boolean): void {
    running.current = now;
    setBusy(now);
  }

  async function run(task: Task): Promise<void> {
    if (running.current) return;
    set(true);
    await task()
      .catch((error) => {
        console.error(error);
        showToast(unexpectedError);
      })
      .finally(() => set(false));
  }
  return [busy, run];
}
