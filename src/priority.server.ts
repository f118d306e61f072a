import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** What Node calls the threads in which V8 compiles and collects garbage beside the program. */
const HELPER = "V8Worker";

/** Where the kernel (Linux) has a process's own threads; each has a priority of its own there. */
const THREADS = "/proc/self/task";

/** Where processors are short, other processes go before this one. */
export function letOthersGoFirst(): void {
  goAfterOthers(0);
}

/**
 * Where processors are short, this process's program goes before V8's helpers in it. Four of them look at all memory side by side, as soon
 * as that is due, for 30 ms and more: at one priority they leave the program a third of a processor of two meanwhile. Not on other systems
 * than Linux, which have no priorities for threads that Node could set.
 */
export function letProgramGoFirst(): void {
  for (const thread of helpers()) goAfterOthers(thread);
}

function helpers(): number[] {
  try {
    return readdirSync(THREADS)
      .map(Number)
      .filter((thread) => readFileSync(`${THREADS}/${thread}/comm`, "utf8").trim() === HELPER);
  } catch {
    return [];
  }
}

/** @param id of a process, or of a thread where those have priorities; 0 for this process */
function goAfterOthers(id: number): void {
  try {
    setPriority(id, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A host that forbids it has its reasons, and shows as ever.
  }
}
