import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { promisify } from "node:util";
import pRetry from "p-retry";

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

/** Without privileges the kernel takes a session's priority ten times a second; more may begin than that. */
const WHEN_BUSY = { retries: 30, minTimeout: 150, factor: 1, unref: true };

/**
 * Where processors are short, others go before a process that began a session of its own. Linux may have the processes of a session
 * compete as one, with a priority that is the session's: the process's own counts for little then. And whatever its priority, a process that
 * is woken interrupts the one that woke it, unless Linux is told that it works in batches.
 * @param id of the process
 */
export async function letSessionWait(id: number): Promise<void> {
  // Not the lowest: beside programs that want all processors, that is next to nothing.
  goAfterOthers(id);
  // Without this server's environment, which holds its secrets. Where there is no such command, as on other systems, or it is not allowed,
  // everything is as before.
  await promisify(execFile)("chrt", ["-b", "-p", "0", String(id)], { env: {} }).catch(() => {});
  const tell = () => writeFile(`/proc/${id}/autogroup`, String(constants.priority.PRIORITY_BELOW_NORMAL));
  // Where the kernel has no such sessions, or forbids it, everything is as before.
  await pRetry(tell, { ...WHEN_BUSY, shouldRetry: ({ error }) => "code" in error && error.code === "EAGAIN" }).catch(
    () => {},
  );
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
  setPriorityIfAllowed(id, constants.priority.PRIORITY_BELOW_NORMAL);
}

function setPriorityIfAllowed(id: number, priority: number): void {
  try {
    setPriority(id, priority);
  } catch {
    // A host that forbids it has its reasons, and shows as ever.
  }
}
