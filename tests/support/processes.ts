import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Distinguishes a process from a later one with the same ID: its start time, on Linux together with the boot
 * ID. Null if no such process is running; zombies do not count as running.
 */
export async function processIdentity(pid: number): Promise<string | null> {
  return process.platform === "linux" ? linuxIdentity(pid) : otherIdentity(pid);
}

/** The command line of a running process, arguments separated by spaces; empty if it cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replaceAll("\0", " ").trim();
  }
  const { stdout } = await run("/bin/ps", ["-ww", "-o", "args=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout.trim();
}

/** Sends a signal to a process. Ignores errors: it may have ended, or belong to another user. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Callers watch for its end anyway.
  }
}

async function linuxIdentity(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field, the program's name in parentheses, may itself contain spaces and parentheses.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const started = rest[18];
  if (!started || state === "Z" || state === "X") return null;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${boot.trim()}/${started}`;
}

async function otherIdentity(pid: number): Promise<string | null> {
  const { stdout } = await run("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  const [state, ...started] = stdout.trim().split(/\s+/);
  return !state || state.startsWith("Z") ? null : started.join(" ");
}
