import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * What tells a process from a later one with the same number: when it started (on Linux with the boot it started in).
 * Null when no such process runs; one that is dead and only waits to be reaped does not run.
 */
export async function processIdentity(pid: number): Promise<string | null> {
  return process.platform === "linux" ? linuxIdentity(pid) : otherIdentity(pid);
}

/** The command line of a running process, arguments separated by blanks; empty when it cannot be seen. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replaceAll("\0", " ").trim();
  }
  const { stdout } = await run("/bin/ps", ["-ww", "-o", "args=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.trim();
}

/** Sends a signal to a process that may have ended, or belong to somebody else. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Whether it is still there, who waits for it sees.
  }
}

async function linuxIdentity(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the program's name in brackets and may itself hold blanks and brackets: count from the last one.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const started = rest[18];
  if (!started || state === "Z" || state === "X") return null;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${boot.trim()}/${started}`;
}

async function otherIdentity(pid: number): Promise<string | null> {
  const { stdout } = await run("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  const [state, ...started] = stdout.trim().split(/\s+/);
  return !state || state.startsWith("Z") ? null : started.join(" ");
}
